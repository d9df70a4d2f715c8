import type { TrashEntry } from "@lossless/protocol";
import { findArtifact } from "../artifacts/rows/artifact.ts";
import { putBackVersion } from "../artifacts/rows/withdraw.ts";
import { type Actor, audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { folderAt } from "../experiments/folders/path.ts";
import { ServiceError } from "../ground/errors.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import type { Erranding } from "../database/errands.ts";
import { entriesOf, requireEntries, type TrashRow } from "./entry.ts";
import { restoreSeries } from "./trash-series.ts";

export interface TrashIds {
  organizationId: string;
  ids: string[];
  by: Actor;
}

/**
 * `trash.restore`: restores all entries or none. An experiment returns to its folder, which is made
 * again where it is gone; its writer gets a token by opening the slug. Throws `conflict` for an
 * entry being purged, and for a series of an experiment in the trash, `not_found` for one that is
 * not in the trash, and `limit_exceeded`.
 */
export async function restoreTrash(
  transaction: Transaction,
  { organizationId, ids, by }: TrashIds,
  context: Counting & Erranding,
): Promise<{ entries: TrashEntry[]; experimentIds: string[] }> {
  const rows = await requireEntries(transaction, organizationId, ids);
  const gone = rows.find(({ is_purging: isPurging }) => isPurging === 1);
  if (gone !== undefined) {
    throw new ServiceError("conflict", `${gone.name} is being purged; nothing brings it back.`);
  }
  for (const row of rows) {
    await restorers[row.kind](transaction, organizationId, row, by, context);
    await transaction.run("DELETE FROM trash WHERE id = $1", row.id);
  }
  const entries = await entriesOf(transaction, organizationId, rows);
  const changed = entries.filter(({ kind }) => kind !== "version");
  return { entries, experimentIds: changed.map(({ subject }) => subject) };
}

const restorers = {
  experiment: restoreExperiment,
  version: restoreVersion,
  series: restoreSeries,
};

async function restoreExperiment(
  transaction: Transaction,
  organizationId: string,
  { subject, name, folder }: TrashRow,
  by: Actor,
  context: Counting & Erranding,
): Promise<void> {
  await context.ledger.charge(organizationId, { experiments: 1 });
  const names = folder === null ? [] : (JSON.parse(folder) as string[]);
  const folderId = await folderAt(transaction, organizationId, names, context);
  await transaction.run(
    "UPDATE experiment SET trashed_at_ms = NULL, restored_at_ms = $3, folder = $2 WHERE id = $1",
    subject,
    folderId,
    context.nowMs,
  );
  await transaction.run(
    "UPDATE head SET trashed = 0, revision = revision + 1 WHERE experiment = $1",
    subject,
  );
  await context.errands?.leave(subject, "mark", { trashed: 0 });
  const entry = { ...by, organizationId, action: "experiment.restored", subject };
  await audit(transaction, { ...entry, details: { slug: name } }, context);
}

/** Restores a version. The artifact's epoch stays: its writer goes on. */
async function restoreVersion(
  transaction: Transaction,
  organizationId: string,
  { subject, name: artifact, version }: TrashRow,
  by: Actor,
  context: Counting,
): Promise<void> {
  await findArtifact(transaction, { organizationId, artifact }, { lock: true });
  await putBackVersion(transaction, subject, context);
  const entry = { ...by, organizationId, action: "version.restored", subject };
  await audit(transaction, { ...entry, details: { artifact, version } }, context);
}
