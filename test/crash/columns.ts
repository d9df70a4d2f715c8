import { columnParts, columnsBody } from "../columns-body.ts";
import type { HttpReply, HttpRequest, JsonObject } from "../http.ts";
import type { SentEvent } from "./journal.ts";
import { pointOf } from "./point.ts";
import type { PrintedInto } from "./printing.ts";

/**
 * Whether a batch may go as columns: points alone, none of which was sent in another batch. Their
 * answer has counts, from which follows what happened to each: such points are stored together.
 */
export function mayBeColumns(events: readonly SentEvent[]): boolean {
  const [first] = events;
  if (first?.kind !== "metric") return false;
  return events.every((one, at) => one.kind === "metric" && one.number === first.number + at);
}

/** The request with the points of a batch as columns. */
export function columnsRequest(
  seed: number,
  { experimentId, experiment, token }: PrintedInto,
  events: readonly SentEvent[],
): HttpRequest {
  const points = events.flatMap((event) =>
    event.kind === "metric" ? [pointOf(seed, experiment, event.number)] : [],
  );
  const path = `/api/v2/experiments/${experimentId}/columns`;
  return { path, credential: token, body: columnsBody(columnParts(points)) };
}

/** The answer to columns in the form of that to events. */
export function asReplies({ text }: HttpReply): { event: string; data: JsonObject }[] {
  const { points, stored, deduplicated, refused } = JSON.parse(text) as {
    points: number;
    stored: number;
    deduplicated: number;
    refused: JsonObject[];
  };
  const [failed] = refused;
  if (failed !== undefined) return [{ event: "svc.v2.error", data: failed }];
  if (![stored, deduplicated].includes(points)) {
    const message = `of ${points} new points ${stored} were stored`;
    return [{ event: "svc.v2.error", data: { message, retryable: false } }];
  }
  return Array.from({ length: points }, () => {
    return { event: "svc.v2.metricRecorded", data: { deduplicated: stored === 0 } };
  });
}
