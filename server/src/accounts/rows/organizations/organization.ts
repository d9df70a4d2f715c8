import type { Organization } from "@lossless/protocol";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";

/**
 * Returns the organization of this name, made if there is none. Two nodes that start at once make
 * one.
 */
export async function ensureOrganization(
  transaction: Transaction,
  { name, actor, address }: { name: string } & Actor,
  { nowMs }: Moment,
): Promise<Organization & { isNew: boolean }> {
  if (await wasPurged(transaction, name)) {
    const sentence = `An organization ${name} was deleted for good, and its name stays taken.`;
    throw new ServiceError("conflict", sentence);
  }
  const inserted = await transaction.run(
    `INSERT INTO organization (id, name, created_at_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING`,
    newId(nowMs),
    name,
    nowMs,
  );
  const { id } = await requireOrganization(transaction, name);
  const isNew = inserted === 1;
  if (isNew) {
    const entry = { organizationId: id, action: "organization.created", actor, address };
    await audit(transaction, { ...entry, subject: id, details: { name } }, { nowMs });
  }
  return { id, name, isNew };
}

/** Whether an organization of this name was purged, so that only the name is left. */
export async function wasPurged(reader: Reader, name: string): Promise<boolean> {
  const row = await reader.get(
    "SELECT id FROM organization WHERE name = $1 AND purged_at_ms IS NOT NULL",
    name,
  );
  return row !== undefined;
}

/** Finds an organization by name or id, for commands of the operator; throws when there is none. */
export async function requireOrganization(reader: Reader, nameOrId: string): Promise<Organization> {
  const row = await reader.get<Organization>(
    `SELECT id, name FROM organization WHERE (name = $1 OR id = $1) AND purged_at_ms IS NULL
     ORDER BY CASE WHEN name = $1 THEN 0 ELSE 1 END LIMIT 1`,
    nameOrId,
  );
  if (row === undefined)
    throw new ServiceError("not_found", `There is no organization ${nameOrId}.`);
  return { id: row.id, name: row.name };
}

/** Lists the organizations, those in the trash too. */
export async function listOrganizations(
  reader: Reader,
): Promise<(Organization & { isDeleted: boolean })[]> {
  const rows = await reader.all<Organization & { trashed: number | null }>(
    `SELECT id, name, trashed_at_ms AS trashed FROM organization
     WHERE purged_at_ms IS NULL ORDER BY name`,
  );
  return rows.map(({ id, name, trashed }) => ({ id, name, isDeleted: trashed !== null }));
}
