import type { Reader, Value } from "../../database/database.ts";

/** What a plan may have besides merging what an index has in order. */
const otherWays = [
  "enable_hashjoin",
  "enable_nestloop",
  "enable_hashagg",
  "enable_bitmapscan",
  "enable_seqscan",
];

/**
 * Reads by a statement whose tables PostgreSQL is to merge. It cannot know how much several tests
 * leave over together, and takes the ways that are best for little: tables of a hundred thousand
 * texts, or look-ups one by one. To merge as many costs half of the first, and never much more.
 * The settings end with the transaction in any case.
 */
export async function composedByMerging<Row>(
  reader: Reader,
  sql: string,
  values: readonly Value[],
): Promise<Row[]> {
  const set = (value: "on" | "off") => {
    const settings = otherWays.map((way) => `set_config('${way}', '${value}', true)`);
    // More processes cost more than they save where others wait.
    settings.push("set_config('max_parallel_workers_per_gather', '0', true)");
    return reader.composed(`SELECT ${settings.join(", ")}`);
  };
  await set("off");
  const rows = await reader.composed<Row>(sql, ...values);
  await set("on");
  return rows;
}
