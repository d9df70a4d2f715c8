import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Moment } from "../clock.ts";
import type { Transaction } from "../database/database.ts";
import { printExact } from "../exact-json.ts";
import { newId } from "../ids.ts";
import { touchHead } from "./head.ts";

export interface Annotate {
  experimentId: string;
  data: RequestData<"svc.v2.experiment.annotate">;
}

/** `experiment.annotate`. Every event adds one; repeats are not recognised (M47). */
export async function annotateExperiment(
  transaction: Transaction,
  { experimentId, data: { annotation, meta } }: Annotate,
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.annotate">> {
  // Takes the lock on the head row: annotations are numbered one after another, also by several nodes.
  await touchHead(transaction, experimentId);
  const annotationId = newId(nowMs);
  await transaction.run(
    `INSERT INTO annotation (experiment, number, id, text, meta, created_at_ms)
     SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5 FROM annotation WHERE experiment = $1`,
    experimentId,
    annotationId,
    annotation,
    printExact(meta),
    nowMs,
  );
  return { experimentId, annotationId, createdAtMs: nowMs };
}
