import type { DeletedOrganization, OrganizationContents } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { lockOrganization } from "../database/access/organization-lock.ts";
import { requireRole, roleOf } from "../database/access/role.ts";
import { type Actor, audit } from "../database/audit/audit.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import { ServiceError } from "../ground/errors.ts";
import { newId } from "../ground/ids.ts";
import { dayMs, keptDays } from "./setting.ts";

/** `trash.contents`: the contents and members that a deletion of the organization would take. */
export async function readContents(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<OrganizationContents> {
  const row = await reader.get<OrganizationContents>(
    `SELECT name,
       (SELECT count(*) FROM experiment WHERE organization = $1 AND purged_at_ms IS NULL) AS experiments,
       (SELECT CAST(coalesce(sum(points), 0) AS BIGINT) FROM head
        JOIN experiment ON experiment.id = head.experiment WHERE organization = $1) AS points,
       (SELECT count(*) FROM artifact WHERE organization = $1) AS artifacts,
       (SELECT CAST(coalesce(sum(versions), 0) AS BIGINT) FROM artifact WHERE organization = $1) AS versions,
       (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM artifact WHERE organization = $1) AS "artifactBytes",
       (SELECT count(*) FROM location WHERE organization = $1 AND driver <> 'built-in') AS buckets,
       (SELECT count(*) FROM membership WHERE organization = $1) AS people,
       (SELECT count(*) FROM api_key WHERE organization = $1 AND revoked_at_ms IS NULL) AS "apiKeys"
     FROM organization WHERE id = $1`,
    organizationId,
  );
  return row!;
}

export interface TrashOrganization {
  organizationId: string;
  /** The organization's name as typed, for confirmation. */
  name: string;
  daysDefault: number;
  by: Actor;
}

/**
 * `trash.organization`: from now on every key, session, token and provider is refused, and nothing
 * of the organization is freed before the purge. It needs the role owner. Throws `bad_request` for
 * another name.
 */
export async function trashOrganization(
  transaction: Transaction,
  input: TrashOrganization,
  moment: Moment,
): Promise<DeletedOrganization> {
  await requireRole(transaction, input.organizationId, input.by.actor, "owner");
  return moveOrganization(transaction, input, moment);
}

/** The same by the operator. */
export async function moveOrganization(
  transaction: Transaction,
  { organizationId, name, daysDefault, by }: TrashOrganization,
  { nowMs }: Moment,
): Promise<DeletedOrganization> {
  await lockOrganization(transaction, organizationId);
  const row = await transaction.get<{ name: string; trashed_at_ms: number | null }>(
    "SELECT name, trashed_at_ms FROM organization WHERE id = $1",
    organizationId,
  );
  if (row?.name !== name) {
    throw new ServiceError("bad_request", `The organization is called ${row?.name}, not ${name}.`);
  }
  if (row.trashed_at_ms !== null) throw new ServiceError("conflict", `${name} is deleted already.`);
  const purgeAtMs = nowMs + dayMs * (await keptDays(transaction, organizationId, daysDefault));
  await transaction.run(
    "UPDATE organization SET trashed_at_ms = $2 WHERE id = $1",
    organizationId,
    nowMs,
  );
  await transaction.run(
    `INSERT INTO trash (id, organization, kind, subject, name, points, bytes, actor, trashed_at_ms,
       purge_at_ms, is_purging)
     SELECT $1, $2, 'organization', $2, $3, 0, CAST(coalesce(sum(bytes), 0) AS BIGINT), $4, $5, $6, 0
     FROM artifact WHERE organization = $2`,
    newId(nowMs),
    organizationId,
    name,
    by.actor,
    nowMs,
    purgeAtMs,
  );
  await note(transaction, { organizationId, by, name }, "trashed", { purgeAtMs }, nowMs);
  return { id: organizationId, name, trashedAtMs: nowMs, purgeAtMs, isPurging: false };
}

interface DeletedRow {
  entry: string;
  id: string;
  name: string;
  trashed_at_ms: number;
  purge_at_ms: number;
  is_purging: number;
}

const deletedColumns = `trash.id AS entry, trash.subject AS id, trash.name, trash.trashed_at_ms, trash.purge_at_ms,
  trash.is_purging FROM trash`;

function deletedOf(row: DeletedRow): DeletedOrganization {
  return {
    id: row.id,
    name: row.name,
    trashedAtMs: row.trashed_at_ms,
    purgeAtMs: row.purge_at_ms,
    isPurging: row.is_purging === 1,
  };
}

/** `trash.organizations`: those in the trash of which the person is an owner; null: all. */
export async function listDeletedOrganizations(
  reader: Reader,
  { personId }: { personId: string | null },
): Promise<DeletedOrganization[]> {
  const rows = await reader.all<DeletedRow>(
    `SELECT ${deletedColumns} WHERE kind = 'organization' AND (subject IN (
       SELECT organization FROM membership WHERE person = $1 AND role = 'owner') OR $1 IS NULL) ORDER BY name`,
    personId,
  );
  return rows.map(deletedOf);
}

/** `trash.restoreOrganization`: restores the organization in full, for an owner or the operator. */
export async function restoreOrganization(
  transaction: Transaction,
  { organizationId, by, isOperator }: { organizationId: string; by: Actor; isOperator: boolean },
  { nowMs }: Moment,
): Promise<DeletedOrganization> {
  await lockOrganization(transaction, organizationId);
  const role = isOperator ? "owner" : await roleOf(transaction, organizationId, by.actor);
  const row = await findDeleted(transaction, organizationId);
  if (row === undefined || role !== "owner") {
    throw new ServiceError("not_found", "No deleted organization of yours has this id.");
  }
  if (row.is_purging === 1) {
    throw new ServiceError("conflict", `${row.name} is being purged; nothing brings it back.`);
  }
  await transaction.run(
    "UPDATE organization SET trashed_at_ms = NULL WHERE id = $1",
    organizationId,
  );
  await transaction.run("DELETE FROM trash WHERE id = $1", row.entry);
  const { name } = row;
  await note(transaction, { organizationId, by, name }, "restored", {}, nowMs);
  return deletedOf(row);
}

export interface PurgeOrganization {
  organizationId: string;
  by: Actor;
  /** Stores that cannot be reached hold nothing up. */
  leavesObjects?: boolean;
}

/**
 * Makes the purge due, for the operator; nothing restores the organization afterwards. Addresses of
 * files are valid for an hour after the deletion: none is cut off before.
 */
export async function purgeOrganizationNow(
  transaction: Transaction,
  { organizationId, by, leavesObjects = false }: PurgeOrganization,
  { nowMs }: Moment,
): Promise<DeletedOrganization> {
  await lockOrganization(transaction, organizationId);
  const row = await findDeleted(transaction, organizationId);
  if (row === undefined) throw new ServiceError("conflict", "Delete the organization first.");
  const atMs = Math.max(nowMs, row.trashed_at_ms + limits.signedUrlLifetimeMs);
  await transaction.run(
    "UPDATE trash SET is_purging = 1, purge_at_ms = $2 WHERE id = $1",
    row.entry,
    Math.min(row.purge_at_ms, atMs),
  );
  if (row.is_purging === 0) {
    await note(transaction, { organizationId, by, name: row.name }, "purged", {}, nowMs);
  }
  if (leavesObjects) await leaveObjects(transaction, organizationId);
  return deletedOf((await findDeleted(transaction, organizationId))!);
}

/** Forgets removals that failed at least once; their objects are left in the store. */
async function leaveObjects(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.run(
    `DELETE FROM removal WHERE attempts > 0
       AND upload IN (SELECT id FROM upload WHERE organization = $1)`,
    organizationId,
  );
  await transaction.run(
    "DELETE FROM file_upload WHERE attempts > 0 AND organization = $1",
    organizationId,
  );
}

function findDeleted(reader: Reader, organizationId: string): Promise<DeletedRow | undefined> {
  return reader.get<DeletedRow>(
    `SELECT ${deletedColumns} WHERE kind = 'organization' AND subject = $1`,
    organizationId,
  );
}

async function note(
  transaction: Transaction,
  { organizationId, by, name }: { organizationId: string; by: Actor; name: string },
  what: "trashed" | "restored" | "purged",
  more: { purgeAtMs?: number },
  nowMs: number,
): Promise<void> {
  const entry = { ...by, organizationId, action: `organization.${what}`, subject: organizationId };
  await audit(transaction, { ...entry, details: { name, ...more } }, { nowMs });
}
