import type { Transaction } from "../../database/database.ts";

const name = "artifacts_directory";

/**
 * `artifacts.directory`, at every start: returns the id of the directory in which the built-in
 * location keeps its files. The first start of an installation stores its own; later ones get that
 * one.
 */
export async function rememberDirectory(
  transaction: Transaction,
  { directoryId }: { directoryId: string },
): Promise<string> {
  await transaction.run(
    "INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
    name,
    directoryId,
  );
  const row = await transaction.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = $1",
    name,
  );
  if (row === undefined) throw new Error("BUG: the directory of artifacts was not remembered");
  return row.value;
}
