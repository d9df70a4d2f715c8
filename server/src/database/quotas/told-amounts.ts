import type { Reader, Transaction } from "../database.ts";
import { insertRows } from "../rows.ts";
import { forgottenDay } from "./recorded-points.ts";

/** Amounts of an organization's experiments on a worker, as the worker tells them. */
export interface ToldAmount {
  organization: string;
  bytes: number;
  partitions: number;
}

/** The same of the points that a worker recorded on a day, or purged (day -1). */
export interface ToldDay {
  organization: string;
  day: number;
  points: number;
}

export interface ToldAmounts {
  amounts: ToldAmount[];
  days: ToldDay[];
}

/** Reads what a worker has counted itself, its points since a day: rows below 0 were told to it. */
export async function readToldAmounts(worker: Reader, sinceDay = 0): Promise<ToldAmounts> {
  const amounts = await worker.all<ToldAmount>(
    `SELECT organization, CAST(sum(bytes) AS BIGINT) AS bytes,
       CAST(sum(partitions) AS BIGINT) AS partitions
     FROM stored_amount WHERE writer >= 0 GROUP BY organization`,
  );
  return { amounts, days: await readToldDays(worker, sinceDay) };
}

/** Reads the days alone. Each organization is looked up: nothing is read of days before. */
export function readToldDays(worker: Reader, sinceDay = 0): Promise<ToldDay[]> {
  const recorded = `SELECT recorded_points.organization, day, points
    FROM organization JOIN recorded_points ON recorded_points.organization = organization.id`;
  return worker.all<ToldDay>(
    `SELECT organization, day, CAST(sum(points) AS BIGINT) AS points FROM (
       ${recorded} WHERE writer >= 0 AND day >= $1
       UNION ALL ${recorded} WHERE writer >= 0 AND day = ${forgottenDay}
       UNION ALL
       SELECT organization, day, day_points FROM stored_amount
       WHERE writer >= 0 AND day_points > 0 AND day >= $1
     ) AS counted GROUP BY organization, day`,
    sinceDay,
  );
}

/**
 * `told.amounts`: writes down on the directory what the worker has counted, in rows of its own: the
 * writers below 0.
 */
export async function noteToldAmounts(
  transaction: Transaction,
  { worker, amounts, days }: ToldAmounts & { worker: number },
): Promise<void> {
  const byName = <Row extends { organization: string }>(rows: readonly Row[]) =>
    rows.toSorted((one, other) => (one.organization < other.organization ? -1 : 1));
  await insertRows(
    transaction,
    "stored_amount",
    amountColumns,
    byName(amounts).map(({ organization, bytes, partitions }) => {
      return [organization, -worker, bytes, 0, partitions, 0];
    }),
    `ON CONFLICT (organization, writer) DO UPDATE
     SET bytes = excluded.bytes, partitions = excluded.partitions`,
  );
  await insertRows(
    transaction,
    "recorded_points",
    ["organization", "day", "writer", "points"],
    byName(days).map(({ organization, day, points }) => [organization, day, -worker, points]),
    "ON CONFLICT (organization, day, writer) DO UPDATE SET points = excluded.points",
  );
}

const amountColumns = [
  "organization",
  "writer",
  "bytes",
  "experiments",
  "partitions",
  "uploads",
] as const;

/**
 * Quotas that a worker is told, with the amounts elsewhere. Nobody tells it of deleted
 * organizations: their credentials are refused, and it would refuse points after one is restored.
 */
export interface ToldQuotas {
  quotas: ToldQuota[];
}

export interface ToldQuota {
  organization: string;
  bytes_max: number | null;
  partitions_max: number | null;
  /** Counted on the directory and on the other workers. */
  bytes: number;
  partitions: number;
}

/** Reads the quotas for one of the workers. */
export async function readToldQuotas(reader: Reader, worker: number): Promise<ToldQuotas> {
  const quotas = await reader.all<ToldQuota>(
    `SELECT quota.organization, bytes_max, partitions_max,
       CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
       CAST(coalesce(sum(partitions), 0) AS BIGINT) AS partitions
     FROM quota LEFT JOIN stored_amount ON stored_amount.organization = quota.organization
       AND stored_amount.writer <> $1
     GROUP BY quota.organization, bytes_max, partitions_max ORDER BY quota.organization`,
    -worker,
  );
  return { quotas };
}

/** `told.quotas`: writes the quotas down on the worker. */
export async function noteToldQuotas(
  transaction: Transaction,
  { quotas }: ToldQuotas & { server: number },
): Promise<void> {
  const limited = JSON.stringify(quotas.map(({ organization }) => organization));
  await transaction.run(
    `DELETE FROM quota WHERE NOT (${transaction.isOneOf("organization", "$1")})`,
    limited,
  );
  await transaction.run(
    `DELETE FROM stored_amount
     WHERE writer = ${elsewhere} AND NOT (${transaction.isOneOf("organization", "$1")})`,
    limited,
  );
  await insertRows(
    transaction,
    "quota",
    ["organization", "bytes_max", "partitions_max"],
    quotas.map((one) => [one.organization, one.bytes_max, one.partitions_max]),
    `ON CONFLICT (organization) DO UPDATE
     SET bytes_max = excluded.bytes_max, partitions_max = excluded.partitions_max`,
  );
  await insertRows(
    transaction,
    "stored_amount",
    amountColumns,
    quotas.map(({ organization, bytes, partitions }) => {
      return [organization, elsewhere, bytes, 0, partitions, 0];
    }),
    `ON CONFLICT (organization, writer) DO UPDATE
     SET bytes = excluded.bytes, partitions = excluded.partitions`,
  );
}

/** The writer under whose rows a worker has what counts elsewhere. */
const elsewhere = -1;
