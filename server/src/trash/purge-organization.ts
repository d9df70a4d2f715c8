import { abandonUpload, removeCommitted } from "../artifacts/rows/removal.ts";
import { unfinished } from "../artifacts/rows/upload.ts";
import { withdrawVersion } from "../artifacts/rows/withdraw.ts";
import { audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { forgetFiles } from "../artifacts/rows/mlflow/remove.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { organizationTables } from "./organization-tables.ts";
import { trashExperiments } from "./trash-experiments.ts";

const perStep = 100;
const rowsPerStep = 1_000;

interface OrganizationPurge {
  transaction: Transaction;
  /** The organization's entry of the trash. */
  entryId: string;
  organizationId: string;
  trashedAtMs: number;
  context: Counting;
}

/**
 * Takes the next step of purging an organization; returns how many rows it removed. Its contents go
 * as from the trash of any organization: experiments by purges of their own, objects by the
 * sweeper, which needs the organization's locations until the last one is removed; only then its
 * rows. `isWaiting`: for one of these.
 */
export async function purgeOrganization(
  purge: OrganizationPurge,
): Promise<{ rows: number; isDone: boolean; isWaiting?: boolean }> {
  for (const step of [hurry, experiments]) {
    const rows = await step(purge);
    if (rows > 0) return { rows, isDone: false };
  }
  if (await hasOthersInTrash(purge)) return { rows: 0, isDone: false, isWaiting: true };
  for (const step of [versions, uploads, files, sendings]) {
    const rows = await step(purge);
    if (rows > 0) return { rows, isDone: false };
  }
  if (await hasObjects(purge)) return { rows: 0, isDone: false, isWaiting: true };
  const rows = await ownRows(purge);
  if (rows > 0) return { rows, isDone: false };
  await end(purge);
  return { rows: 1, isDone: true };
}

/** Makes entries that are already in its trash due now. */
function hurry({ transaction, organizationId, entryId, context }: OrganizationPurge) {
  return transaction.run(
    "UPDATE trash SET purge_at_ms = $3 WHERE organization = $1 AND id <> $2 AND purge_at_ms > $3",
    organizationId,
    entryId,
    context.nowMs,
  );
}

async function experiments({ transaction, organizationId, context }: OrganizationPurge) {
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM experiment WHERE organization = $1 AND trashed_at_ms IS NULL
     ORDER BY id LIMIT ${perStep}`,
    organizationId,
  );
  const experimentIds = rows.map(({ id }) => id);
  if (experimentIds.length === 0) return 0;
  const by = { actor: "service", address: null };
  const trashing = { organizationId, daysDefault: 0, by, experimentIds };
  await trashExperiments(transaction, trashing, context);
  return experimentIds.length;
}

async function hasOthersInTrash({ transaction, organizationId, entryId }: OrganizationPurge) {
  const row = await transaction.get(
    "SELECT id FROM trash WHERE organization = $1 AND id <> $2 LIMIT 1",
    organizationId,
    entryId,
  );
  return row !== undefined;
}

async function versions({ transaction, organizationId, context }: OrganizationPurge) {
  const rows = await transaction.all<{ artifact: string; name: string; upload: string }>(
    `SELECT version.artifact, version.name, version.upload
     FROM version JOIN artifact ON artifact.id = version.artifact
     WHERE artifact.organization = $1 ORDER BY version.artifact, version.name LIMIT ${perStep}`,
    organizationId,
  );
  for (const { artifact: id, name, upload } of rows) {
    await transaction.get(`SELECT id FROM artifact WHERE id = $1${transaction.forUpdate}`, id);
    await withdrawVersion(transaction, { id }, name);
    await removeCommitted(transaction, upload, context);
  }
  return rows.length;
}

async function uploads({ transaction, organizationId, context }: OrganizationPurge) {
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM upload WHERE organization = $1 AND state IN ${unfinished}
     ORDER BY id LIMIT ${perStep}`,
    organizationId,
  );
  for (const { id } of rows) await abandonUpload(transaction, id, "deleted", context);
  return rows.length;
}

/** Removes files of models; those of runs went with their experiments. */
async function files(purge: OrganizationPurge) {
  const { transaction, organizationId, trashedAtMs, context } = purge;
  const row = await transaction.get<{ owner: string }>(
    `SELECT owner FROM file WHERE owner IN (SELECT id FROM logged_model WHERE organization = $1)
     LIMIT 1`,
    organizationId,
  );
  if (row === undefined) return 0;
  const { owner } = row;
  return forgetFiles(transaction, { organizationId, owner, trashedAtMs }, context);
}

/** Ends uploads of files; no commit of them succeeds any more. */
function sendings({ transaction, organizationId, context }: OrganizationPurge) {
  return transaction.run(
    `UPDATE file_upload SET state = 'left', not_before_ms = $2
     WHERE organization = $1 AND state = 'writing'`,
    organizationId,
    context.nowMs,
  );
}

/** A store that cannot be reached is tried again; see `lossless gc`. */
async function hasObjects({ transaction, organizationId }: OrganizationPurge) {
  const row = await transaction.get(
    `SELECT removal.upload AS id FROM removal JOIN upload ON upload.id = removal.upload
     WHERE upload.organization = $1
     UNION ALL SELECT id FROM file_upload WHERE organization = $1 LIMIT 1`,
    organizationId,
  );
  return row !== undefined;
}

async function ownRows({ transaction, organizationId }: OrganizationPurge) {
  for (const { table, key, which = "organization = $1" } of organizationTables) {
    const rows = await transaction.run(
      `DELETE FROM ${table} WHERE (${key}) IN (
         SELECT ${key} FROM ${table} WHERE ${which} LIMIT ${rowsPerStep})`,
      organizationId,
    );
    if (rows > 0) return rows;
  }
  return 0;
}

/**
 * Removes the organization; its name stays taken, so that a reference to it never finds another
 * one.
 */
async function end({ transaction, organizationId, entryId, context }: OrganizationPurge) {
  const { nowMs } = context;
  await transaction.run("DELETE FROM trash WHERE id = $1", entryId);
  // These sign-ins act elsewhere, too.
  await transaction.run(
    "UPDATE session SET organization = NULL WHERE organization = $1 AND only_organization IS NULL",
    organizationId,
  );
  await transaction.run(
    "UPDATE organization SET purged_at_ms = $2 WHERE id = $1",
    organizationId,
    nowMs,
  );
  const row = await transaction.get<{ name: string }>(
    "SELECT name FROM organization WHERE id = $1",
    organizationId,
  );
  const by = { actor: "service", address: null, organizationId: null };
  const entry = { ...by, action: "organization.removed", subject: organizationId };
  await audit(transaction, { ...entry, details: { name: row!.name } }, { nowMs });
}
