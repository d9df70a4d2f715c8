import type { Reader, Value } from "../../database/database.ts";

/**
 * What a plan may have besides merging what an index has in order; and more processes, which cost
 * more than they save where others wait.
 */
const otherWays = {
  enable_hashjoin: "off",
  enable_nestloop: "off",
  enable_hashagg: "off",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  max_parallel_workers_per_gather: "0",
};

/**
 * Reads by a statement whose tables PostgreSQL is to merge. It cannot know how much several tests
 * leave over together, and takes the ways that are best for little: tables of a hundred thousand
 * texts, or look-ups one by one. The settings end with the transaction in any case.
 */
export async function composedByMerging<Row>(
  reader: Reader,
  sql: string,
  values: readonly Value[],
): Promise<Row[]> {
  const before = await change(reader, otherWays);
  const rows = await reader.composed<Row>(sql, ...values);
  await change(reader, before);
  return rows;
}

/** For the rest of the transaction; gives the settings of before. */
async function change(
  reader: Reader,
  settings: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const names = Object.keys(settings);
  const selected = names.map(
    (name, at) =>
      `current_setting('${name}') AS ${name}, set_config('${name}', $${at + 1}, true) AS set_${name}`,
  );
  const [row] = await reader.composed<Record<string, string>>(
    `SELECT ${selected.join(", ")}`,
    ...Object.values(settings),
  );
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}
