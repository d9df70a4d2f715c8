import { requireFewer } from "../../../database/row-limit.ts";
import { limits } from "@lossless/protocol/limits";
import type { Organization } from "@lossless/protocol";
import { requireRole } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";
import { requireOrganization } from "./organization.ts";

export interface ApiKey {
  keyId: string;
  organization: Organization;
  name: string;
  createdBy: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
}

export interface CreatedKey {
  keyId: string;
  organization: Organization;
  name: string;
  createdAtMs: number;
  /** The secret, shown once: only its hash is stored. */
  secret: string;
}

interface NewKey {
  organization: Organization;
  name: string;
  createdBy: string;
  address: string | null;
}

/** `apiKey.create`, for a person who is an admin at this moment. */
export async function createKey(
  transaction: Transaction,
  input: NewKey,
  moment: Moment,
): Promise<CreatedKey> {
  await requireRole(transaction, input.organization.id, input.createdBy, "admin");
  await requireFewerKeys(transaction, input.organization);
  return issueKey(transaction, input, moment);
}

/** Under lockOrganization. */
function requireFewerKeys(transaction: Transaction, { id }: Organization): Promise<void> {
  const most = limits.apiKeysPerOrganizationMax;
  const sentence = `An organization has at most ${most} API keys; revoke unused ones.`;
  return requireFewer(
    transaction,
    most,
    sentence,
    "api_key WHERE organization = $1 AND revoked_at_ms IS NULL",
    id,
  );
}

/** Makes a key of an organization that the caller has found; checks no permission. */
export async function issueKey(
  transaction: Transaction,
  input: NewKey,
  { nowMs }: Moment,
): Promise<CreatedKey> {
  const { organization } = input;
  const keyId = newId(nowMs);
  const secret = newSecret("ak_");
  await transaction.run(
    `INSERT INTO api_key (id, organization, name, hash, created_by, created_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    keyId,
    organization.id,
    input.name,
    hashSecret(secret),
    input.createdBy,
    nowMs,
  );
  await audit(
    transaction,
    {
      organizationId: organization.id,
      action: "apiKey.created",
      actor: input.createdBy,
      address: input.address,
      subject: keyId,
      details: { name: input.name },
    },
    { nowMs },
  );
  return { keyId, organization, name: input.name, createdAtMs: nowMs, secret };
}

/** Lists the keys of an organization that are not revoked, oldest first. */
export async function listLivingKeys(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<Omit<ApiKey, "organization" | "revokedAtMs">[]> {
  const rows = await reader.all<Omit<ApiKey, "organization" | "revokedAtMs">>(
    `SELECT id AS "keyId", name, created_by AS "createdBy", created_at_ms AS "createdAtMs",
       last_used_at_ms AS "lastUsedAtMs"
     FROM api_key WHERE organization = $1 AND revoked_at_ms IS NULL ORDER BY created_at_ms, id`,
    organizationId,
  );
  return rows.map((row) => ({ ...row }));
}

/**
 * Lists keys for the operator, oldest first, with revoked ones; those of all organizations when
 * none is given.
 */
export async function listKeys(
  reader: Reader,
  { organization }: { organization?: string },
): Promise<ApiKey[]> {
  const only =
    organization === undefined ? undefined : await requireOrganization(reader, organization);
  const rows = await reader.all<
    Omit<ApiKey, "organization"> & { organization: string; organizationName: string }
  >(
    `SELECT api_key.id AS "keyId", api_key.organization, organization.name AS "organizationName", api_key.name,
       api_key.created_by AS "createdBy", api_key.created_at_ms AS "createdAtMs",
       api_key.last_used_at_ms AS "lastUsedAtMs", api_key.revoked_at_ms AS "revokedAtMs"
     FROM api_key JOIN organization ON organization.id = api_key.organization
     ${only === undefined ? "" : "WHERE api_key.organization = $1"}
     ORDER BY organization.name, api_key.created_at_ms, api_key.id`,
    ...(only === undefined ? [] : [only.id]),
  );
  return rows.map(({ organization: id, organizationName, ...key }) => ({
    ...key,
    organization: { id, name: organizationName },
  }));
}

/**
 * Ends a key for every later request. Within an organization an admin does so, and a revoked key is
 * not found (A61); the operator, who names no organization, finds it revoked.
 */
export async function revokeKey(
  transaction: Transaction,
  { keyId, organizationId, actor, address }: { keyId: string; organizationId?: string } & Actor,
  { nowMs }: Moment,
): Promise<{ keyId: string }> {
  if (organizationId !== undefined) await requireRole(transaction, organizationId, actor, "admin");
  const key = await transaction.get<{ organization: string; name: string; revoked: number | null }>(
    `SELECT organization, name, revoked_at_ms AS revoked FROM api_key WHERE id = $1${transaction.forUpdate}`,
    keyId,
  );
  const isForeign = organizationId !== undefined && key?.organization !== organizationId;
  if (key === undefined || isForeign || (organizationId !== undefined && key.revoked !== null))
    throw new ServiceError("not_found", `There is no API key with the id ${keyId}.`);
  if (key.revoked !== null) return { keyId };
  await transaction.run("UPDATE api_key SET revoked_at_ms = $2 WHERE id = $1", keyId, nowMs);
  const { organization, name } = key;
  await audit(
    transaction,
    {
      organizationId: organization,
      action: "apiKey.revoked",
      actor,
      address,
      subject: keyId,
      details: { name },
    },
    { nowMs },
  );
  return { keyId };
}
