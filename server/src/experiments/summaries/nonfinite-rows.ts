import type { Reader, Transaction, Value } from "../../database/database.ts";
import { insertRows } from "../../database/rows.ts";
import { mergeNonfinite, type Nonfinite, readNonfinite } from "../nonfinite.ts";
import { hasOwnSummary, partitionsMax } from "./metrics.ts";

/** Summary of a metric's non-finite values, for the table; meta '' covers all partitions. */
export type NonfiniteSummary = Nonfinite;

/**
 * Reads these summaries for experiments that have any, of all partitions of a metric together, and
 * of each that has its own.
 */
export async function readNonfiniteSummaries(
  reader: Reader,
  experimentIds: readonly string[],
): Promise<Map<string, NonfiniteSummary[]>> {
  const found = new Map<string, NonfiniteSummary[]>();
  const values = await readNonfinite(reader, experimentIds);
  for (const [experimentId, own] of Map.groupBy(values, ({ experiment }) => experiment))
    found.set(experimentId, await summariesOf(reader, experimentId, own));
  return found;
}

async function summariesOf(
  reader: Reader,
  experimentId: string,
  values: readonly Nonfinite[],
): Promise<NonfiniteSummary[]> {
  const byName = Map.groupBy(values, ({ name }) => name);
  const counts = await reader.all<{ name: string; partitions: number }>(
    `SELECT name, count(*) AS partitions FROM series
     WHERE experiment = $1 AND ${reader.isOneOf("name", "$2")} GROUP BY name`,
    experimentId,
    JSON.stringify([...byName.keys()]),
  );
  const known = new Map(counts.map(({ name, partitions }) => [name, partitions]));
  return [...byName].flatMap(([name, own]) => {
    const [first, ...others] = own;
    const together = { ...first, meta: "" };
    for (const other of others) mergeNonfinite(together, other);
    const isOwn = Math.max(own.length, known.get(name) ?? 0) <= partitionsMax;
    return [together, ...(isOwn ? own.filter(({ meta }) => hasOwnSummary(meta)) : [])];
  });
}

/** The points of a new row are folded later. */
export async function writeNonfinite(
  transaction: Transaction,
  rows: readonly { experimentId: string; metric: number; summary: NonfiniteSummary }[],
): Promise<void> {
  // In one order, so that no two nodes wait for each other.
  const sorted = rows.toSorted(
    (left, right) =>
      left.metric - right.metric || (left.experimentId < right.experimentId ? -1 : 1),
  );
  const values = sorted.map(({ experimentId, metric, summary }): Value[] => [
    metric,
    experimentId,
    ...folded.map(() => 0),
    summary.notes,
    summary.step,
    summary.timestamp,
    summary.kind,
  ]);
  const changes = said.map((name) => `${name} = excluded.${name}`);
  await insertRows(
    transaction,
    "metric_summary",
    ["metric", "experiment", ...folded, ...said],
    values,
    `ON CONFLICT (metric, experiment) DO UPDATE SET ${changes.join(", ")}`,
  );
}

const said = ["nonfinite", "nonfinite_step", "nonfinite_timestamp", "nonfinite_kind"];
const folded = [
  "folded_seq",
  "points",
  "sum",
  "first",
  "first_step",
  "first_timestamp",
  "first_partition",
  "last",
  "last_step",
  "last_timestamp",
  "last_partition",
  "min",
  "min_step",
  "max",
  "max_step",
];
