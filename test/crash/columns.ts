import { columnParts, columnsBody } from "../columns-body.ts";
import type { HttpReply, HttpRequest, JsonObject } from "../http.ts";
import type { SentEvent } from "./journal.ts";
import { pointOf } from "./point.ts";
import type { PrintedInto } from "./printing.ts";

/** Whether a batch may go as columns: points alone, which no batch had when they were drawn. */
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

/**
 * The answer to columns in the form of that to events. It has counts: points are stored together,
 * so these tell what happened to each, unless another batch repeats some of them meanwhile. Then
 * none counts as fresh, because nobody knows which are.
 */
export function asReplies({ text }: HttpReply): { event: string; data: JsonObject }[] {
  const { points, stored, deduplicated, refused } = JSON.parse(text) as {
    points: number;
    stored: number;
    deduplicated: number;
    refused: JsonObject[];
  };
  const [failed] = refused;
  if (failed !== undefined) return [{ event: "svc.v2.error", data: failed }];
  if (stored + deduplicated !== points) {
    const message = `of ${points} new points ${stored} were stored, ${deduplicated} there before`;
    return [{ event: "svc.v2.error", data: { message, retryable: false } }];
  }
  return Array.from({ length: points }, () => {
    return { event: "svc.v2.metricRecorded", data: { deduplicated: stored < points } };
  });
}
