import type { Reader, Transaction } from "../database/database.ts";

/** What the newest backup was, as whoever made it wrote it into the installation. */
export interface LastBackup {
  /** When the state was taken that it shows. */
  takenAtMs: number;
  /** All that a restore of it makes has so many. */
  bytes: number;
  /** What it added to its place has so many. */
  addedBytes: number;
  /** What could not be read of the installation, and is not in it. */
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

/** Null when none was ever made by `lossless backup`. */
export async function readLastBackup(reader: Reader): Promise<LastBackup | null> {
  const row = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = $1",
    rowName,
  );
  return row === undefined ? null : (JSON.parse(row.value) as LastBackup);
}
