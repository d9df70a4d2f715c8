import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Transaction } from "../database/database.ts";
import type { WithMetaText } from "../ground/meta-text.ts";
import { newId } from "../ground/ids.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { touchHead } from "./head.ts";
import { addAnnotatedUse } from "./lineage/links.ts";
import { addSavedVersion } from "./lineage/written-version.ts";
import { addLoggedAnnotation } from "./logged/index-logged.ts";
import { addNonfinite, nonfiniteOf } from "./nonfinite.ts";

export interface Annotate {
  organizationId: string;
  experimentId: string;
  data: WithMetaText<RequestData<"svc.v2.experiment.annotate">>;
}

/** `experiment.annotate`. Every event adds one; repeats are not recognised (M47). */
export async function annotateExperiment(
  transaction: Transaction,
  { organizationId, experimentId, data: { annotation, meta: metaText } }: Annotate,
  context: Counting,
): Promise<ReplyData<"svc.v2.experiment.annotate">> {
  const added = { organizationId, experimentId, annotation, metaText, messageId: null };
  return addAnnotation(transaction, added, context);
}

export interface AddedAnnotation {
  organizationId: string;
  experimentId: string;
  annotation: string;
  metaText: string;
  /** Null where repeats are not recognised. */
  messageId: string | null;
  /** Whether the MLflow interface writes it beside a value that it stores itself. */
  isOfMlflow?: boolean;
}

export async function addAnnotation(
  transaction: Transaction,
  {
    organizationId,
    experimentId,
    annotation,
    metaText,
    messageId,
    isOfMlflow = false,
  }: AddedAnnotation,
  { nowMs, ledger }: Counting,
): Promise<ReplyData<"svc.v2.experiment.annotate">> {
  // Takes the lock on the head row: annotations are numbered one after another, also by several
  // nodes.
  await touchHead(transaction, experimentId);
  const annotationId = newId(nowMs);
  await ledger.charge(organizationId, { bytes: rowBytes + textBytes(annotation, metaText) });
  const row = await transaction.get<{ number: number }>(
    `INSERT INTO annotation (experiment, number, id, text, meta, created_at_ms, message_id)
     SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6 FROM annotation WHERE experiment = $1
     RETURNING number`,
    experimentId,
    annotationId,
    annotation,
    metaText,
    nowMs,
    messageId,
  );
  await addLoggedAnnotation(transaction, experimentId, metaText, row!.number);
  await addSavedVersion(transaction, experimentId, metaText);
  await addAnnotatedUse(transaction, { experimentId, atMs: nowMs }, metaText);
  const value = nonfiniteOf(metaText, nowMs);
  if (value !== undefined)
    await addNonfinite(transaction, experimentId, [{ ...value, isNative: !isOfMlflow }]);
  return { experimentId, annotationId, createdAtMs: nowMs };
}
