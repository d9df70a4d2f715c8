import type { Reader } from "../../database/database.ts";
import { type PointSource, searchPoints } from "../../points/search.ts";
import { matchingSeries } from "../series/matching-series.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import { keyOf, namesIn } from "./key.ts";
import { metricOf, type StoredMetric } from "./log.ts";
import { compareValues, type RunMetric, storedInteger } from "./metric.ts";
import { readNativeNonfinite } from "./native-nonfinite.ts";
import { requireRun } from "./run-row.ts";

export interface ReadHistory {
  organizationId: string;
  runId: string;
  key: string;
  limit: number;
  after: HistoryPlace | undefined;
}

/** Position in a history: after this many points of one time and step. */
export interface HistoryPlace {
  timestamp: bigint;
  step: bigint;
  skipped: number;
}

/** Columns, by time, step and value. */
export interface History {
  value: Float64Array;
  timestamp: BigInt64Array;
  step: BigInt64Array;
  next: HistoryPlace | undefined;
}

/** `run.history`: a page of all values of a metric. */
export async function readHistory(
  reader: Reader,
  { organizationId, runId, key, limit, after }: ReadHistory,
  context: PointsReader,
): Promise<History> {
  await requireRun(reader, organizationId, runId);
  // Those at the place itself are read again, and skipped when all are in order.
  const wanted = limit + 1 + (after?.skipped ?? 0);
  const regular = await readRegular(reader, { organizationId, runId, key, after }, wanted, context);
  const irregular = await readIrregular(reader, runId, key, after, wanted);
  const place = after ?? { timestamp: -1n, step: 0n };
  const native = (await readNativeNonfinite(reader, runId, key)).filter(
    ({ timestamp, step }) =>
      timestamp > place.timestamp || (timestamp === place.timestamp && step >= place.step),
  );
  const points = [...regular, ...irregular, ...native].sort(compare).slice(after?.skipped ?? 0);
  const page = points.slice(0, limit);
  return {
    value: Float64Array.from(page, ({ value }) => value),
    timestamp: BigInt64Array.from(page, ({ timestamp }) => timestamp),
    step: BigInt64Array.from(page, ({ step }) => step),
    next: points.length > limit ? placeBehind(page, after) : undefined,
  };
}

function placeBehind(page: readonly RunMetric[], after: HistoryPlace | undefined): HistoryPlace {
  const { timestamp, step } = page.at(-1)!;
  const isSame = (one: { timestamp: bigint; step: bigint }) =>
    one.timestamp === timestamp && one.step === step;
  const skipped = page.filter(isSame).length;
  return { timestamp, step, skipped: skipped + (after && isSame(after) ? after.skipped : 0) };
}

function compare(one: RunMetric, other: RunMetric): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  if (one.step !== other.step) return one.step < other.step ? -1 : 1;
  return compareValues(one.value, other.value);
}

/** Returns the sources of a metric's points, for a run of the organization. */
export async function regularSources(
  reader: Reader,
  {
    organizationId,
    runId: experimentId,
    key,
  }: Pick<ReadHistory, "organizationId" | "runId" | "key">,
  { snapshots }: PointsReader,
): Promise<PointSource[]> {
  const query = { organizationId, experimentId, seriesNames: namesIn(key), filter: [] };
  const series = await matchingSeries(reader, query);
  const numbers = series.flatMap(({ name, partitions }) =>
    partitions.filter(({ meta }) => keyOf(name, meta) === key).map(({ number }) => number),
  );
  if (numbers.length === 0) return [];
  const snapshot = await snapshots.take(reader, experimentId, numbers);
  return numbers.flatMap((number) => snapshot.sources(number));
}

/**
 * Reads at least this many points from the place on, if there are, and all at the last of their
 * places.
 */
async function readRegular(
  reader: Reader,
  { after, key, ...run }: Pick<ReadHistory, "organizationId" | "runId" | "key" | "after">,
  wanted: number,
  context: PointsReader,
): Promise<RunMetric[]> {
  const from = after === undefined ? -1 : Number(after.timestamp);
  const fromStep = after === undefined ? -1 : Number(after.step);
  const all = await regularSources(reader, { ...run, key }, context);
  const sources = all.filter(({ max }) => max.timestamp >= from);
  const found: RunMetric[] = [];
  for await (const { value, timestamp, step } of searchPoints(sources, "timestamp")) {
    for (let at = 0; at < value.length; at++) {
      if (timestamp[at] < from || (timestamp[at] === from && step[at] < fromStep)) continue;
      const metric = {
        key,
        value: value[at],
        timestamp: BigInt(timestamp[at]),
        step: BigInt(step[at]),
      };
      const last = found.at(-1);
      const isPast = last?.timestamp !== metric.timestamp || last.step !== metric.step;
      if (found.length >= wanted && isPast) return found;
      found.push(metric);
    }
  }
  return found;
}

async function readIrregular(
  reader: Reader,
  runId: string,
  key: string,
  after: HistoryPlace | undefined,
  wanted: number,
): Promise<RunMetric[]> {
  const place = after ?? { timestamp: 0n, step: -(2n ** 63n) };
  const rows = await reader.all<StoredMetric>(
    `SELECT key, kind, value, timestamp, step
     FROM run_point WHERE experiment = $1 AND key = $2 AND trashed = 0
       AND (timestamp > $3
         OR (timestamp = $3 AND step >= $4))
     ORDER BY timestamp, step, kind, value LIMIT $5`,
    runId,
    key,
    storedInteger(place.timestamp),
    storedInteger(place.step),
    wanted,
  );
  return rows.map(metricOf);
}
