import type { Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { noteAttributes, writeTags } from "./attributes.ts";
import { lockHead } from "./inputs.ts";
import { requireActiveRun } from "./run-row.ts";

/** Tag with a JSON list of the models of clients without logged models. */
const historyTag = "mlflow.log-model.history";

export interface RecordModel {
  organizationId: string;
  runId: string;
  model: object;
  /** The longest that the tag may be. */
  charactersMax: number;
}

/** `run.recordModel`: adds a model to the list that the run's tag holds. */
export async function recordModel(
  transaction: Transaction,
  { organizationId, runId, model, charactersMax }: RecordModel,
  { ledger }: Counting,
): Promise<{ experimentId: string }> {
  await requireActiveRun(transaction, organizationId, runId);
  await lockHead(transaction, runId);
  const row = await transaction.get<{ value: string }>(
    "SELECT value FROM run_tag WHERE experiment = $1 AND key = $2",
    runId,
    historyTag,
  );
  const value = JSON.stringify([...(row === undefined ? [] : listIn(row.value)), model]);
  if (value.length > charactersMax) {
    const sentence = `'value' exceeds the maximum length of ${charactersMax} characters`;
    throw new ServiceError("bad_request", sentence);
  }
  const tags = [{ key: historyTag, value }];
  await writeTags(transaction, { organizationId, runId }, tags, ledger);
  await noteAttributes(transaction, runId);
  return { experimentId: runId };
}

function listIn(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {
    // The tag was set by hand.
  }
  throw new ServiceError("bad_request", `The tag ${historyTag} of the run is no JSON list.`);
}
