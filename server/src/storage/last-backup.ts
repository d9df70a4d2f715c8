import type { Reader, Transaction } from "../database/database.ts";

/** The newest backup, as recorded in the installation by the process that made it. */
export interface LastBackup {
  /** Time of the state in the backup. */
  takenAtMs: number;
  /** Bytes of the files that a restore of it makes. */
  bytes: number;
  /** Bytes that it added to its place. */
  addedBytes: number;
  /** Number of parts of the installation that could not be read and are not in it. */
  problems: number;
}

/** The row of the table `installation`, which running services show as figures. */
const rowName = "last_backup";

export async function noteBackup(transaction: Transaction, made: LastBackup): Promise<void> {
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    rowName,
    JSON.stringify(made),
  );
}

/** Reads the record; null when `lossless backup` was never run. */
export async function readLastBackup(reader: Reader): Promise<LastBackup | null> {
  const row = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = $1",
    rowName,
  );
  return row === undefined ? null : (JSON.parse(row.value) as LastBackup);
}
