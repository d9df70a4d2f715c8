import type { RequestEnvelope, MetricData } from "@lossless/protocol";
import type { WithMetaText } from "../../ground/meta-text.ts";
import { type Outcome, PointResult, type Write } from "../../storage/storage.ts";
import { replyTo } from "./batch.ts";
import { writeOf } from "./event-operations.ts";
import { errorReply, type EventReply, resultReply } from "./event-replies.ts";
import { PointBatchBuilder } from "../../wire/point-batch-builder.ts";
import { pointFailure } from "../../wire/point-failures.ts";
import type { ReceivedEvent } from "./received-event.ts";
import type { OpenService } from "../service-state.ts";

export interface ExperimentScope {
  experimentId: string;
  organizationId: string;
  tokenHash: Uint8Array;
  /** Series that one experiment may have, for the text of the error. */
  seriesMax: number;
}

type MetricEvent = RequestEnvelope<"svc.v2.experiment.metric", WithMetaText<MetricData>>;

/** The place of an event's result: which write, and for a metric which point of it. */
type Position = { write: number; point: number | undefined };

/**
 * Runs an experiment batch as one call of the storage: one group commit, in order, consecutive
 * metrics as one batch of points. Events whose experimentId is not the URL's fail and are left out
 * (batching rule 6).
 */
export async function runExperimentEvents(
  { storage, hasher }: Pick<OpenService, "storage" | "hasher">,
  scope: ExperimentScope,
  batch: readonly ReceivedEvent<"experiment">[],
): Promise<EventReply[]> {
  const { writes, positions } = plan(batch, scope, (metrics) => {
    const builder = new PointBatchBuilder(metrics.length, hasher);
    for (const { messageId, data } of metrics) builder.add(messageId, data);
    return { kind: "metrics", experimentId: scope.experimentId, points: builder.finish() };
  });
  const outcomes = writes.length === 0 ? [] : await storage.write(writes);
  if (outcomes.length !== writes.length) {
    throw new Error(`BUG: ${writes.length} writes got ${outcomes.length} outcomes`);
  }
  return batch.map((event, index) => {
    const position = positions[index];
    if (position === undefined) return mismatch(event, scope.experimentId);
    const outcome = outcomes[position.write];
    return position.point === undefined
      ? replyTo(event, outcome)
      : metricReply(event as MetricEvent, outcome, position.point, scope.seriesMax);
  });
}

function plan(
  batch: readonly ReceivedEvent<"experiment">[],
  scope: ExperimentScope,
  metricsWrite: (metrics: readonly MetricEvent[]) => Write,
): { writes: Write[]; positions: (Position | undefined)[] } {
  const writes: Write[] = [];
  let metrics: MetricEvent[] = [];
  const flush = (): void => {
    if (metrics.length > 0) writes.push(metricsWrite(metrics));
    metrics = [];
  };
  const positions = batch.map((event): Position | undefined => {
    if (event.data.experimentId !== scope.experimentId) return undefined;
    if (event.event === "svc.v2.experiment.metric") {
      metrics.push(event);
      return { write: writes.length, point: metrics.length - 1 };
    }
    flush();
    const { organizationId, experimentId, tokenHash } = scope;
    writes.push(writeOf(event, { organizationId, experimentId, tokenHash }));
    return { write: writes.length - 1, point: undefined };
  });
  flush();
  return { writes, positions };
}

function metricReply(
  event: MetricEvent,
  outcome: Outcome,
  point: number,
  seriesMax: number,
): EventReply {
  if (outcome.kind === "error") {
    return errorReply(event, outcome.code, outcome.message, outcome.details);
  }
  if (outcome.kind !== "metrics") throw new Error("BUG: a metric was answered with a value");
  const { experimentId, metricName } = event.data;
  const result = outcome.results[point];
  const failure = pointFailure(result, { seriesMax, room: outcome.room });
  if (failure !== undefined)
    return errorReply(event, failure.code, failure.message, failure.details);
  const deduplicated = result === PointResult.duplicate;
  return resultReply(event, { experimentId, metricName, deduplicated });
}

function mismatch(event: ReceivedEvent<"experiment">, expected: string): EventReply {
  return errorReply(
    event,
    "experiment_id_mismatch",
    "The experimentId of the event is not the one in the URL.",
    { expected, received: event.data.experimentId },
  );
}
