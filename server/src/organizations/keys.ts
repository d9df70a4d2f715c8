import type { Organization } from "@lossless/protocol";
import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { ServiceError } from "../errors.ts";
import { newId } from "../ids.ts";
import { hashSecret, newSecret } from "../secrets.ts";
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
  /** Shown once: only its hash is stored. */
  secret: string;
}

/** Makes a key of an existing organization. */
export async function createKey(
  transaction: Transaction,
  input: { organization: string; name: string; createdBy: string },
  { nowMs }: Moment,
): Promise<CreatedKey> {
  const organization = await requireOrganization(transaction, input.organization);
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
  return { keyId, organization, name: input.name, secret };
}

/** Oldest first, revoked ones too; of all organizations when none is given. */
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

/** Ends a key for every request that starts afterwards. A revoked key stays revoked. */
export async function revokeKey(
  transaction: Transaction,
  { keyId }: { keyId: string },
  { nowMs }: Moment,
): Promise<{ keyId: string }> {
  const changed = await transaction.run(
    "UPDATE api_key SET revoked_at_ms = coalesce(revoked_at_ms, $2) WHERE id = $1",
    keyId,
    nowMs,
  );
  if (changed === 0)
    throw new ServiceError("not_found", `There is no API key with the id ${keyId}.`);
  return { keyId };
}

/** Writes down when keys were used last. Callers gather uses for a while: it is for people who clean up, not exact. */
export async function noteKeyUse(
  transaction: Transaction,
  { uses }: { uses: { keyId: string; atMs: number }[] },
): Promise<void> {
  for (const { keyId, atMs } of uses) {
    await transaction.run(
      "UPDATE api_key SET last_used_at_ms = $2 WHERE id = $1 AND coalesce(last_used_at_ms, 0) < $2",
      keyId,
      atMs,
    );
  }
}
