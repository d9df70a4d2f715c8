import type { Database, Reader, Transaction } from "../../database/database.ts";
import { insertRows, selectWanted } from "../../database/rows.ts";

/** The two dictionaries, and the columns that identify an entry within an organization. */
const dictionaries = {
  metric_name: ["name", "meta"],
  config_key: ["path"],
} as const;

export interface DictionaryTools {
  database: Database;
  /** Writes through the writer. */
  write(name: "summaries.enter", input: Wanted): Promise<unknown>;
}

export interface Wanted {
  dictionary: keyof typeof dictionaries;
  organizationId: string;
  /** Values of the dictionary's columns. */
  entries: readonly (readonly string[])[];
}

/** Entries that one transaction adds. */
const entriesPerWrite = 500;

/** Returns the numbers of all entries, by `entryText`; missing ones are added to the dictionary. */
export async function numberEntries(
  tools: DictionaryTools,
  { dictionary, organizationId, entries }: Wanted,
): Promise<Map<string, number>> {
  const find = (some: Wanted["entries"]) =>
    tools.database.read((reader) =>
      findEntries(reader, { dictionary, organizationId, entries: some }),
    );
  const found = await find(entries);
  const unknown = entries.filter((entry) => !found.has(entryText(entry)));
  for (let start = 0; start < unknown.length; start += entriesPerWrite) {
    const some = unknown.slice(start, start + entriesPerWrite);
    await tools.write("summaries.enter", { dictionary, organizationId, entries: some });
  }
  for (const [text, id] of await find(unknown)) found.set(text, id);
  const missing = unknown.find((entry) => !found.has(entryText(entry)));
  if (missing !== undefined) throw new Error(`BUG: ${entryText(missing)} is not in ${dictionary}`);
  return found;
}

/** Finds the numbers of existing entries, by `entryText`. */
export async function findEntries(
  reader: Reader,
  { dictionary, organizationId, entries }: Wanted,
): Promise<Map<string, number>> {
  const columns = dictionaries[dictionary];
  const matches = columns.map((column, at) => `${dictionary}.${column} = column${at + 1}`);
  const rows = await selectWanted<Record<string, string> & { id: number }>(
    reader,
    (wanted) =>
      `SELECT id, ${columns.join(", ")} FROM ${wanted} AS wanted
       JOIN ${dictionary} ON organization = $1 AND ${matches.join(" AND ")}`,
    entries,
    organizationId,
  );
  return new Map(rows.map((row) => [entryText(columns.map((column) => row[column])), row.id]));
}

/** `summaries.enter`: adds those that are not there. */
export async function enter(
  transaction: Transaction,
  { dictionary, organizationId, entries }: Wanted,
): Promise<void> {
  await insertRows(
    transaction,
    dictionary,
    ["organization", ...dictionaries[dictionary]],
    entries.map((entry) => [organizationId, ...entry]),
    "ON CONFLICT DO NOTHING",
  );
}

export function entryText(entry: readonly string[]): string {
  return JSON.stringify(entry);
}
