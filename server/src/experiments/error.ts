import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Moment } from "../clock.ts";
import type { Transaction } from "../database/database.ts";
import { printExact } from "../exact-json.ts";
import { changeStatus } from "./status.ts";

export interface FailExperiment {
  experimentId: string;
  data: RequestData<"svc.v2.experiment.error">;
}

/** `experiment.error`: the run has failed. Message and meta replace those of an earlier error. */
export async function failExperiment(
  transaction: Transaction,
  { experimentId, data: { error, meta } }: FailExperiment,
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.error">> {
  const change = await changeStatus(transaction, experimentId, "error", nowMs);
  await transaction.run(
    "UPDATE experiment SET error = $2, error_meta = $3 WHERE id = $1",
    experimentId,
    error,
    printExact(meta),
  );
  return change;
}
