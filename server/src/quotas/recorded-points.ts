import type { Reader, Transaction } from "../database/database.ts";
import { updateRows } from "../database/rows.ts";

/** The day of which the counter is what purged experiments had, less than nothing. */
export const forgottenDay = -1;

/** Adds points to their organizations' counters of the day, in the transaction that stores them. */
export async function countRecorded(
  transaction: Transaction,
  points: ReadonlyMap<string, number>,
  day: number,
): Promise<void> {
  // In one order, so that no two transactions wait for each other in a circle.
  const rows = [...points]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([organizationId, count]) => [organizationId, day, count] as const);
  await updateRows(
    transaction,
    (values) =>
      `INSERT INTO recorded_points (organization, day, writer, points)
       SELECT column1, column2, ${transaction.writer}, column3 FROM ${values} AS changed WHERE true
       ON CONFLICT (organization, day, writer) DO UPDATE SET points = recorded_points.points + excluded.points`,
    rows,
  );
}

export interface RecordedDay {
  /** UTC days since 1970-01-01; 0 for what was recorded before days were told apart; -1: purged. */
  day: number;
  points: number;
}

/** Days on which points came, oldest first. */
export async function readRecorded(reader: Reader, organizationId: string): Promise<RecordedDay[]> {
  return reader.all<RecordedDay>(
    `SELECT day, CAST(sum(points) AS BIGINT) AS points FROM recorded_points WHERE organization = $1
     GROUP BY day ORDER BY day`,
    organizationId,
  );
}

/** Their counters go with their rows, some of both at a time. */
export const purgingOrganizations =
  "SELECT subject FROM trash WHERE kind = 'organization' AND is_purging = 1";

export interface WrongRecorded {
  organization: string;
  counted: number;
  found: number;
}

/** Organizations whose days do not add up to what their experiments have. For `lossless verify`. */
export async function wrongRecorded(reader: Reader): Promise<WrongRecorded[]> {
  return reader.all<WrongRecorded>(
    `SELECT organization, CAST(sum(counted) AS BIGINT) AS counted, CAST(sum(found) AS BIGINT) AS found FROM (
       SELECT organization, points AS counted, 0 AS found FROM recorded_points
       UNION ALL
       SELECT experiment.organization, 0, head.points FROM head JOIN experiment ON experiment.id = head.experiment
     ) AS both_sides WHERE organization NOT IN (${purgingOrganizations})
     GROUP BY organization HAVING sum(counted) <> sum(found) ORDER BY organization`,
  );
}
