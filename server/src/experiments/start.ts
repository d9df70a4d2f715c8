import type { ReplyData } from "@lossless/protocol";
import type { Moment } from "../ground/clock.ts";
import type { Transaction } from "../database/database.ts";
import { changeStatus } from "./status.ts";

/** `experiment.start`: the run begins, or goes on after a crash; status `running`. */
export function startExperiment(
  transaction: Transaction,
  { experimentId }: { experimentId: string },
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.start">> {
  return changeStatus(transaction, experimentId, "start", nowMs);
}
