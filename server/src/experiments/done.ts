import type { ReplyData } from "@lossless/protocol";
import type { Moment } from "../ground/clock.ts";
import type { Transaction } from "../database/database.ts";
import { changeStatus } from "./status.ts";

/**
 * `experiment.done`: the run has ended well; a repeat moves doneAtMs. Points are accepted
 * afterwards too (M55).
 */
export function completeExperiment(
  transaction: Transaction,
  { experimentId }: { experimentId: string },
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.done">> {
  return changeStatus(transaction, experimentId, "done", nowMs);
}
