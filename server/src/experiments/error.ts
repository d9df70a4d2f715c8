import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Transaction } from "../database/database.ts";
import type { WithMetaText } from "../ground/meta-text.ts";
import { textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { changeStatus } from "./status.ts";

export interface FailExperiment {
  organizationId: string;
  experimentId: string;
  data: WithMetaText<RequestData<"svc.v2.experiment.error">>;
}

/**
 * `experiment.error`: marks the run as failed. Message and meta replace those of an earlier error.
 */
export async function failExperiment(
  transaction: Transaction,
  { organizationId, experimentId, data: { error, meta: metaText } }: FailExperiment,
  { nowMs, ledger }: Counting,
): Promise<ReplyData<"svc.v2.experiment.error">> {
  const change = await changeStatus(transaction, experimentId, "error", nowMs);
  // Its row is locked by the change of status.
  const before = await transaction.get<{ bytes: number }>(
    `SELECT coalesce(octet_length(error), 0) + coalesce(octet_length(error_meta), 0) AS bytes
     FROM experiment WHERE id = $1`,
    experimentId,
  );
  await ledger.charge(organizationId, { bytes: textBytes(error, metaText) - (before?.bytes ?? 0) });
  await transaction.run(
    "UPDATE experiment SET error = $2, error_meta = $3 WHERE id = $1",
    experimentId,
    error,
    metaText,
  );
  return change;
}
