import type { Reader, Value } from "../../database/database.ts";

/**
 * Settings that leave a plan only the merging of index order. Parallel workers are off too: they
 * cost more than they save where others wait.
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
 * Reads by a statement whose tables PostgreSQL is told to merge. PostgreSQL cannot estimate how
 * much several tests together leave over, and takes plans that are best for few rows: tables of a
 * hundred thousand texts, or look-ups one by one. The settings end with the transaction in any
 * case.
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

/** Changes settings for the rest of the transaction; returns the earlier ones. */
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
