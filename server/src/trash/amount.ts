import type { Reader } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";

export interface TrashAmount {
  entries: number;
  bytes: number;
  /** Entries that should have been gone an hour ago. */
  overdue: number;
}

const hourMs = 3_600_000;

/** Counts the entries in the trash of all organizations. */
export async function countTrash(reader: Reader, { nowMs }: Moment): Promise<TrashAmount> {
  const row = await reader.get<TrashAmount>(
    `SELECT CAST(count(*) AS BIGINT) AS entries, CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
       CAST(coalesce(sum(CASE WHEN purge_at_ms < $1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS overdue
     FROM trash`,
    nowMs - hourMs,
  );
  return row!;
}
