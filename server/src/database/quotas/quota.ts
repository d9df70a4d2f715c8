import type { Reader, Transaction } from "../database.ts";
import { type Amounts, type Kind, kinds, type Maxima } from "./amounts.ts";

/** Maxima and stored amounts of an organization. */
export interface Quota {
  maxima: Maxima;
  used: Amounts;
}

/** Finds a quota; undefined for an organization without one, whose stored amounts are not read. */
export async function findQuota(
  reader: Reader,
  organizationId: string,
): Promise<Quota | undefined> {
  const row = await reader.get<QuotaRow>(
    `SELECT bytes_max, experiments_max, partitions_max, uploads_max,
       coalesce(stored.bytes, 0) AS bytes, coalesce(stored.experiments, 0) AS experiments,
       coalesce(stored.partitions, 0) AS partitions, coalesce(stored.uploads, 0) AS uploads
     FROM quota CROSS JOIN (
       SELECT sum(bytes) AS bytes, sum(experiments) AS experiments, sum(partitions) AS partitions,
         sum(uploads) AS uploads
       FROM stored_amount WHERE organization = $1) AS stored
     WHERE organization = $1`,
    organizationId,
  );
  return row === undefined ? undefined : quotaOf(row);
}

/** Changes of maxima; absent ones stay, null removes one. */
export type QuotaChange = Partial<Maxima>;

/** Changes the maxima; returns the quota after the change. */
export async function changeQuota(
  transaction: Transaction,
  organizationId: string,
  change: QuotaChange,
): Promise<{ maxima: Maxima; isChanged: boolean }> {
  await transaction.run(
    "INSERT INTO quota (organization) VALUES ($1) ON CONFLICT (organization) DO NOTHING",
    organizationId,
  );
  await transaction.get(
    `SELECT organization FROM quota WHERE organization = $1${transaction.forUpdate}`,
    organizationId,
  );
  const before = await findQuota(transaction, organizationId);
  if (before === undefined) throw new Error("BUG: a quota was written and is not there");
  const maxima: Maxima = { ...before.maxima, ...change };
  await transaction.run(
    "UPDATE quota SET bytes_max = $2, experiments_max = $3, partitions_max = $4, uploads_max = $5 WHERE organization = $1",
    organizationId,
    ...kinds.map((kind) => maxima[kind]),
  );
  // Most organizations have none, which saves reading the stored amounts.
  if (kinds.every((kind) => maxima[kind] === null)) {
    await transaction.run("DELETE FROM quota WHERE organization = $1", organizationId);
  }
  return { maxima, isChanged: kinds.some((kind) => maxima[kind] !== before.maxima[kind]) };
}

export interface OrganizationQuota extends Quota {
  id: string;
  name: string;
}

/** `quota.list`: those that stored most first. */
export async function listQuotas(
  reader: Reader,
  { organization, limit }: { organization?: string; limit?: number },
): Promise<OrganizationQuota[]> {
  const rows = await reader.all<QuotaRow & { id: string; name: string }>(
    `SELECT organization.id, organization.name, bytes_max, experiments_max, partitions_max, uploads_max,
       coalesce(stored.bytes, 0) AS bytes, coalesce(stored.experiments, 0) AS experiments,
       coalesce(stored.partitions, 0) AS partitions, coalesce(stored.uploads, 0) AS uploads
     FROM organization
     LEFT JOIN quota ON quota.organization = organization.id
     LEFT JOIN (
       SELECT organization, sum(bytes) AS bytes, sum(experiments) AS experiments, sum(partitions) AS partitions,
         sum(uploads) AS uploads
       FROM stored_amount GROUP BY organization) AS stored ON stored.organization = organization.id
     WHERE ($1 = '' OR organization.id = $1) AND organization.purged_at_ms IS NULL
     ORDER BY coalesce(stored.bytes, 0) DESC, organization.name LIMIT $2`,
    organization ?? "",
    limit ?? 1_000_000,
  );
  return rows.map((row) => ({ id: row.id, name: row.name, ...quotaOf(row) }));
}

/**
 * Bytes of committed versions in buckets of the organizations' own, by organization id: they are
 * not on the operator's disk and in no quota. One look at all uploads, for commands.
 */
export async function bytesElsewhere(reader: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await reader.all<{ organization: string; bytes: number }>(
    `SELECT upload.organization, sum(upload.bytes) AS bytes FROM upload
     JOIN location ON location.id = upload.location
     WHERE upload.state = 'committed' AND location.driver <> 'built-in' GROUP BY upload.organization`,
  );
  return new Map(rows.map(({ organization, bytes }) => [organization, bytes]));
}

type QuotaRow = Amounts & { [Each in Kind as `${Each}_max`]: number | null };

function quotaOf(row: QuotaRow): Quota {
  const { bytes, experiments, partitions, uploads } = row;
  return {
    maxima: {
      bytes: row.bytes_max,
      experiments: row.experiments_max,
      partitions: row.partitions_max,
      uploads: row.uploads_max,
    },
    used: { bytes, experiments, partitions, uploads },
  };
}
