import type { Reader } from "../../database/database.ts";
import { nonfiniteNumber, readNonfinite } from "../nonfinite.ts";
import { type Last, type PointsReader, readLasts, readSettledLasts } from "../summaries/lasts.ts";
import { keyOf, namesIn } from "./key.ts";
import { metricOf, type StoredMetric } from "./log.ts";
import { isLater, type RunMetric } from "./metric.ts";
import type { RunFacts } from "./run-row.ts";

/**
 * Reads the latest value of each metric of some runs, by run; of the given metrics or of all. Where
 * all points came through MLflow, its own rows suffice; elsewhere the summaries are read, too.
 * Non-finite values have rows of their own.
 */
export async function readLatest(
  reader: Reader,
  runs: readonly RunFacts[],
  context: PointsReader,
  keys?: readonly string[],
): Promise<Map<string, Map<string, RunMetric>>> {
  const found = await readOwn(reader, runs, keys);
  const present = await asOfNow(reader, runs);
  const mixed = present.filter((run) => run.run_points !== run.head_points);
  const settled = mixed.filter((run) => run.is_settled === 1).map(({ id }) => id);
  const wanted = keys === undefined ? undefined : partitionsOf(keys);
  const lasts = await readSettledLasts(reader, settled, context, wanted);
  for (const { id, is_settled: isSettled } of mixed) {
    if (isSettled === 0) lasts.set(id, await readLasts(reader, id, context, wanted));
  }
  const add = (id: string, metric: RunMetric) => {
    const own = found.get(id) ?? new Map<string, RunMetric>();
    found.set(id, own);
    const before = own.get(metric.key);
    if (before === undefined || isLater(metric, before)) own.set(metric.key, metric);
  };
  for (const [id, all] of lasts) for (const last of all) add(id, metricOfLast(last));
  const ids = runs.map(({ id }) => id);
  for (const { experiment, kind, ...last } of await readNonfinite(reader, ids)) {
    // Values that came through MLflow are among its own rows.
    if (last.isNative && wanted?.has(last.name, last.meta) !== false)
      add(experiment, metricOfLast({ ...last, value: nonfiniteNumber(kind) }));
  }
  return found;
}

/** Completes facts by what the directory has not been told yet. */
async function asOfNow(reader: Reader, runs: readonly RunFacts[]): Promise<readonly RunFacts[]> {
  const points = new Map<string, number>();
  for (const [own, ids] of await reader.atEach(runs.map(({ id }) => id))) {
    if (own === reader) continue;
    const rows = await own.all<{ experiment: string; points: number }>(
      `SELECT experiment, points FROM head WHERE ${own.isOneOf("experiment", "$1")}`,
      JSON.stringify(ids),
    );
    for (const row of rows) points.set(row.experiment, row.points);
  }
  if (points.size === 0) return runs;
  return runs.map((run): RunFacts => {
    const now = points.get(run.id) ?? run.head_points;
    return now === run.head_points ? run : { ...run, head_points: now, is_settled: 0 };
  });
}

function partitionsOf(keys: readonly string[]) {
  const wanted = new Set(keys);
  const has = (name: string, meta: string) => wanted.has(keyOf(name, meta));
  return { names: [...new Set(keys.flatMap(namesIn))], has };
}

function metricOfLast({ name, meta, value, timestamp, step }: Last): RunMetric {
  return { key: keyOf(name, meta), value, timestamp: BigInt(timestamp), step: BigInt(step) };
}

async function readOwn(
  reader: Reader,
  runs: readonly RunFacts[],
  keys: readonly string[] | undefined,
): Promise<Map<string, Map<string, RunMetric>>> {
  const found = new Map<string, Map<string, RunMetric>>();
  if (runs.length === 0) return found;
  const rows = await reader.all<StoredMetric & { experiment: string }>(
    `SELECT experiment, key, kind, value, timestamp, step
     FROM run_metric WHERE trashed = 0 AND ${reader.isOneOf("experiment", "$1")}
       ${keys === undefined ? "" : `AND ${reader.isOneOf("key", "$2")}`} ORDER BY experiment, key`,
    JSON.stringify(runs.map(({ id }) => id)),
    ...(keys === undefined ? [] : [JSON.stringify(keys)]),
  );
  for (const { experiment, ...row } of rows) {
    const own = found.get(experiment) ?? new Map<string, RunMetric>();
    found.set(experiment, own.set(row.key, metricOf(row)));
  }
  return found;
}
