import { audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { newId } from "../../../ground/ids.ts";
import type { QuotaChange } from "../../../database/quotas/quota.ts";
import { ensureOrganization, wasPurged } from "./organization.ts";
import { setQuota } from "./quota.ts";

/** The organizations of the provision file, checked; secrets are replaced by their hashes. */
export interface Provision {
  organizations: { name: string; quota: QuotaChange; apiKeys: ProvisionedKey[] }[];
}

interface ProvisionedKey {
  name: string;
  hash: Uint8Array;
}

/**
 * Thrown when the file contradicts the stored rows; the operator has to change it (exit code 2).
 */
export class ProvisionConflict extends Error {
  override name = "ProvisionConflict";
}

const createdBy = "provision";
const provisioner = { actor: createdBy, address: null };

/**
 * Applies the file at every start: names are the identity, nothing is deleted, and applying it
 * again changes nothing. A key whose secret has changed in the file gets the new secret, and the
 * old one ends unless the file gives it to another name. A key that was revoked stays revoked until
 * the file gives it a new secret. Returns the names of organizations that were purged, which are
 * not made again.
 */
export async function provision(
  transaction: Transaction,
  { organizations }: Provision,
  moment: Moment,
): Promise<{ purged: string[] }> {
  const purged: string[] = [];
  for (const { name, quota, apiKeys } of organizations) {
    if (await wasPurged(transaction, name)) {
      purged.push(name);
      continue;
    }
    const { id } = await ensureOrganization(transaction, { name, ...provisioner }, moment);
    if (Object.keys(quota).length > 0) await setQuota(transaction, id, quota, provisioner, moment);
    for (const key of apiKeys) await provisionKey(transaction, id, key, moment);
    await endReplacedKeys(transaction, id, apiKeys, moment);
  }
  return { purged };
}

async function provisionKey(
  transaction: Transaction,
  organizationId: string,
  { name, hash }: ProvisionedKey,
  moment: Moment,
): Promise<void> {
  const { nowMs } = moment;
  const keyId = newId(nowMs);
  const inserted = await transaction.run(
    `INSERT INTO api_key (id, organization, name, hash, created_by, created_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (hash) DO NOTHING`,
    keyId,
    organizationId,
    name,
    hash,
    createdBy,
    nowMs,
  );
  if (inserted > 0) return note(transaction, organizationId, "created", { keyId, name }, moment);
  await requireSameOrganization(transaction, organizationId, name, hash);
  await reviveReplacedKey(transaction, organizationId, name, hash, moment);
  await transaction.run("UPDATE api_key SET name = $2 WHERE hash = $1", hash, name);
}

async function requireSameOrganization(
  transaction: Transaction,
  organizationId: string,
  name: string,
  hash: Uint8Array,
): Promise<void> {
  const row = await transaction.get<{ organization: string }>(
    "SELECT organization FROM api_key WHERE hash = $1",
    hash,
  );
  if (row?.organization === organizationId) return;
  throw new ProvisionConflict(
    `The secret of the API key "${name}" is already the key of another organization.`,
  );
}

/**
 * Revives a key whose earlier secret the file has again; the newer secret is still live and shows
 * that it was replaced.
 */
async function reviveReplacedKey(
  transaction: Transaction,
  organizationId: string,
  name: string,
  hash: Uint8Array,
  moment: Moment,
): Promise<void> {
  const revived = await transaction.get<{ id: string }>(
    `UPDATE api_key SET revoked_at_ms = NULL
     WHERE hash = $4 AND revoked_at_ms IS NOT NULL AND EXISTS (
       SELECT 1 FROM api_key AS newer WHERE newer.organization = $1 AND newer.name = $2
         AND newer.created_by = $3 AND newer.hash <> $4 AND newer.revoked_at_ms IS NULL)
     RETURNING id`,
    organizationId,
    name,
    createdBy,
    hash,
  );
  if (revived === undefined) return;
  await note(transaction, organizationId, "revived", { keyId: revived.id, name }, moment);
}

/** Ends keys whose name is in the file but whose secret is not any more. */
async function endReplacedKeys(
  transaction: Transaction,
  organizationId: string,
  keys: ProvisionedKey[],
  moment: Moment,
): Promise<void> {
  const names = new Set(keys.map(({ name }) => name));
  const hashes = new Set(keys.map(({ hash }) => Buffer.from(hash).toString("hex")));
  const living = await transaction.all<ProvisionedKey & { id: string }>(
    "SELECT id, name, hash FROM api_key WHERE organization = $1 AND created_by = $2 AND revoked_at_ms IS NULL",
    organizationId,
    createdBy,
  );
  for (const { id, name, hash } of living) {
    if (!names.has(name) || hashes.has(Buffer.from(hash).toString("hex"))) continue;
    await transaction.run("UPDATE api_key SET revoked_at_ms = $2 WHERE id = $1", id, moment.nowMs);
    await note(transaction, organizationId, "revoked", { keyId: id, name }, moment);
  }
}

async function note(
  transaction: Transaction,
  organizationId: string,
  change: "created" | "revived" | "revoked",
  { keyId, name }: { keyId: string; name: string },
  moment: Moment,
): Promise<void> {
  const entry = { organizationId, action: `apiKey.${change}`, ...provisioner };
  await audit(transaction, { ...entry, subject: keyId, details: { name } }, moment);
}
