import type { Reader, Transaction } from "../database.ts";

/** The day that counts the points of purged experiments, negatively. */
export const forgottenDay = -1;

/** Subtracts purged points from those recorded by their organization. */
export async function countPurged(
  transaction: Transaction,
  organizationId: string,
  points: number,
): Promise<void> {
  await transaction.run(
    `INSERT INTO recorded_points (organization, day, writer, points)
     VALUES ($1, ${forgottenDay}, ${transaction.writer}, $2) ${adding}`,
    organizationId,
    -points,
  );
}

/** Closes the days on which these organizations were counted last by this writer. */
export async function closeDays(
  transaction: Transaction,
  organizationIds: readonly string[],
  day: number,
): Promise<void> {
  const ids = JSON.stringify(organizationIds);
  const counted = `writer = ${transaction.writer} AND ${transaction.isOneOf("organization", "$1")}`;
  await transaction.run(
    `INSERT INTO recorded_points (organization, day, writer, points)
     SELECT organization, day, writer, day_points FROM stored_amount
     WHERE ${counted} AND day_points > 0 ORDER BY organization ${adding}`,
    ids,
  );
  await transaction.run(
    `UPDATE stored_amount SET day = $2, day_points = 0 WHERE ${counted}`,
    ids,
    day,
  );
}

const adding = `ON CONFLICT (organization, day, writer) DO UPDATE
  SET points = recorded_points.points + excluded.points`;

/** Recorded points by day, including the days that are not closed. */
const recordedPoints = recordedBy("");
/** Without those that workers told. */
const recordedHere = recordedBy("AND writer >= 0");

function recordedBy(writers: string): string {
  return `(
    SELECT organization, day, points FROM recorded_points WHERE 1 = 1 ${writers}
    UNION ALL SELECT organization, day, day_points FROM stored_amount WHERE day_points > 0 ${writers}
  ) AS recorded`;
}

export interface RecordedDay {
  /**
   * UTC days since 1970-01-01; 0 for points recorded before days were distinguished; -1: purged.
   */
  day: number;
  points: number;
}

/** Days on which points came, oldest first. */
export async function readRecorded(reader: Reader, organizationId: string): Promise<RecordedDay[]> {
  return reader.all<RecordedDay>(
    `SELECT day, CAST(sum(points) AS BIGINT) AS points FROM ${recordedPoints} WHERE organization = $1
     GROUP BY day ORDER BY day`,
    organizationId,
  );
}

/** SQL: organizations being purged, whose rows and counters are removed in batches. */
export const purgingOrganizations =
  "SELECT subject FROM trash WHERE kind = 'organization' AND is_purging = 1";

export interface WrongRecorded {
  organization: string;
  counted: number;
  found: number;
}

/**
 * Finds organizations whose days do not sum to their experiments' points on this server. For
 * `lossless verify`.
 */
export async function wrongRecorded(
  reader: Reader,
  { isWorker = false }: { isWorker?: boolean } = {},
): Promise<WrongRecorded[]> {
  const purging = isWorker ? "" : `WHERE organization NOT IN (${purgingOrganizations})`;
  return reader.all<WrongRecorded>(
    `SELECT organization, CAST(sum(counted) AS BIGINT) AS counted, CAST(sum(found) AS BIGINT) AS found FROM (
       SELECT organization, points AS counted, 0 AS found FROM ${recordedHere}
       UNION ALL
       SELECT experiment.organization, 0, head.points FROM head
       JOIN experiment ON experiment.id = head.experiment WHERE experiment.server = 0
     ) AS both_sides ${purging}
     GROUP BY organization HAVING sum(counted) <> sum(found) ORDER BY organization`,
  );
}
