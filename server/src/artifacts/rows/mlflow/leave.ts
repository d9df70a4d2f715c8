import type { Transaction } from "../../../database/database.ts";
import { insertRows } from "../../../database/rows.ts";

/** Time that a replaced file is kept: readers that have begun or hold its address can finish. */
export const replacedKeptMs = 60 * 60_000;

/** An object that was a file. */
export interface LeftFile {
  id: string;
  organization: string;
  location: string;
  key: string;
  bytes: number;
}

/** The sweeper removes them; they count until then, as they did as files. */
export async function leaveFiles(
  transaction: Transaction,
  files: readonly LeftFile[],
  notBeforeMs: number,
): Promise<void> {
  const columns = "id organization location key bytes state was_file not_before_ms attempts";
  const rows = files.map(({ id, organization, location, key, bytes }) => {
    return [id, organization, location, key, bytes, "left", 1, notBeforeMs, 0];
  });
  await insertRows(transaction, "file_upload", columns.split(" "), rows);
}
