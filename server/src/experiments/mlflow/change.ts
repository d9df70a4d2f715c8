import type { Transaction } from "../../database/database.ts";
import { failExperiment } from "../error.ts";
import { touchHead } from "../head.ts";
import { changeStatus } from "../status.ts";
import type { Moment } from "../../ground/clock.ts";
import { ServiceError } from "../../ground/errors.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { nameTag } from "./name.ts";
import { noteAttributes, writeTags } from "./attributes.ts";
import { ensureRun, requireActiveRun, requireRun, statusWord } from "./run-row.ts";

export const statusWords = ["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"] as const;
export type StatusWord = (typeof statusWords)[number];

export interface UpdateRun {
  organizationId: string;
  runId: string;
  status: StatusWord | undefined;
  endTime: number | undefined;
  name: string | undefined;
}

/** `run.update`: omitted fields stay. */
export async function updateRun(
  transaction: Transaction,
  { organizationId, runId, status, endTime, name }: UpdateRun,
  context: Counting,
): Promise<{ experimentId: string }> {
  const run = await requireActiveRun(transaction, organizationId, runId);
  if (status !== undefined && status !== statusWord(run)) {
    await enter(transaction, { organizationId, experimentId: runId, status }, context);
    await transaction.run("UPDATE run SET status_word = $2 WHERE experiment = $1", runId, status);
  }
  if (endTime !== undefined) {
    await transaction.run("UPDATE run SET end_time = $2 WHERE experiment = $1", runId, endTime);
    await touchHead(transaction, runId);
  }
  if (name !== undefined && name !== "") {
    const tags = [{ key: nameTag, value: name }];
    const changed = await writeTags(transaction, { organizationId, runId }, tags, context.ledger);
    if (changed) await noteAttributes(transaction, runId);
  }
  return { experimentId: runId };
}

async function enter(
  transaction: Transaction,
  change: { organizationId: string; experimentId: string; status: StatusWord },
  context: Counting,
): Promise<void> {
  const { organizationId, experimentId, status } = change;
  if (status === "FAILED" || status === "KILLED") {
    const data = { experimentId, error: status, meta: "{}" };
    await failExperiment(transaction, { organizationId, experimentId, data }, context);
  } else {
    const event = status === "FINISHED" ? "done" : "start";
    await changeStatus(transaction, experimentId, event, context.nowMs);
  }
}

/** `run.mark`: as deleted, or not any more. Points and files stay, and v2 shows it all the same. */
export async function markRun(
  transaction: Transaction,
  {
    organizationId,
    runId,
    isDeleted,
  }: { organizationId: string; runId: string; isDeleted: boolean },
  { nowMs }: Moment,
): Promise<{ experimentId: string }> {
  await requireRun(transaction, organizationId, runId);
  await ensureRun(transaction, runId);
  await transaction.run(
    "UPDATE run SET deleted_at_ms = $2, deleted_with_folder = 0 WHERE experiment = $1",
    runId,
    isDeleted ? nowMs : null,
  );
  await touchHead(transaction, runId);
  return { experimentId: runId };
}

/** `run.deleteTag`: a run whose name is deleted as a tag keeps it as its name. */
export async function deleteRunTag(
  transaction: Transaction,
  { organizationId, runId, key }: { organizationId: string; runId: string; key: string },
  { ledger }: Counting,
): Promise<{ experimentId: string }> {
  await requireActiveRun(transaction, organizationId, runId);
  const removed = await transaction.all<{ value: string }>(
    "DELETE FROM run_tag WHERE experiment = $1 AND key = $2 RETURNING value",
    runId,
    key,
  );
  if (removed.length === 0) {
    throw new ServiceError("tag_not_found", `No tag with name: ${key} in run with id ${runId}`);
  }
  if (key === nameTag) {
    const [{ value }] = removed;
    await transaction.run("UPDATE run SET name = $2 WHERE experiment = $1", runId, value);
  }
  ledger.note(organizationId, { bytes: -rowBytes - textBytes(key, removed[0].value) });
  await noteAttributes(transaction, runId);
  return { experimentId: runId };
}
