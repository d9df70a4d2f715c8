import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Moment } from "../ground/clock.ts";
import type { Transaction } from "../database/database.ts";
import { lockFolder } from "./folders/find.ts";
import { touchHead } from "./head.ts";
import { requireExperiment } from "./identity.ts";

export interface MoveExperiment {
  organizationId: string;
  data: RequestData<"svc.v2.experiment.move">;
}

/** `experiment.move`: puts it into a folder, or at the root (M21). */
export async function moveExperiment(
  transaction: Transaction,
  { organizationId, data }: MoveExperiment,
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.experiment.move">> {
  const experimentId = await requireExperiment(transaction, organizationId, data);
  const { folderId } = data;
  if (folderId !== null) await lockFolder(transaction, organizationId, folderId);
  await transaction.run(
    "UPDATE experiment SET folder = $2, updated_at_ms = $3 WHERE id = $1",
    experimentId,
    folderId,
    nowMs,
  );
  await touchHead(transaction, experimentId);
  return { experimentId, folderId };
}
