import type { Reader } from "../../database/database.ts";
import type { Snapshot } from "../../points/snapshots.ts";
import { readProgress } from "./fold.ts";
import { Metrics, partitionsMax } from "./metrics.ts";
import { countLog, Tally } from "./tally.ts";

/** The last point of a partition of a series. */
export interface Last {
  name: string;
  meta: string;
  value: number;
  timestamp: number;
  step: number;
}

export interface PointsReader {
  snapshots: {
    take(reader: Reader, experimentId: string, partitions: Iterable<number>): Promise<Snapshot>;
  };
}

/** The requested partitions: those of these series for which `has` is true. */
export interface WantedPartitions {
  names: readonly string[];
  has(name: string, meta: string): boolean;
}

/** State of an experiment's series. */
interface Series {
  /** All partitions of each requested series, by number. */
  partitions: Map<number, { name: string; meta: string }>;
  /** Last points by `metricName`; meta '' is a series as a whole. */
  lasts: Map<string, KnownLast>;
}

type KnownLast = Pick<Last, "value" | "timestamp" | "step"> & { partition: number };

const metricName = (name: string, meta: string) => `${meta} ${name}`;

/**
 * Reads the last points of an experiment as of now: its summaries, with the log behind them
 * counted.
 */
export async function readLasts(
  reader: Reader,
  experimentId: string,
  context: PointsReader,
  wanted?: WantedPartitions,
): Promise<Last[]> {
  const own = await reader.at(experimentId);
  const progress = await readProgress(reader, experimentId, own);
  if (progress === undefined) return [];
  const { counted, foldedSeq: from, logSeq: to } = progress;
  const range = { from, to, points: progress.points - progress.foldedPoints };
  const metrics = new Metrics(experimentId);
  await metrics.catchUp(own);
  const behind = new Tally(metrics);
  const isWhole =
    counted === 1 && (await countLog((work) => work(reader), experimentId, behind, range));
  const series = (await readSeries(reader, [experimentId], wanted)).get(experimentId);
  if (series === undefined) return [];
  if (isWhole) {
    addBehind(series, behind);
  } else {
    series.lasts.clear();
    const all = new Tally(metrics);
    const numbers = Array.from({ length: metrics.partitions }, (_, number) => number);
    const snapshot = await context.snapshots.take(reader, experimentId, numbers);
    for (const number of numbers) await all.addPartition(number, snapshot, async () => {});
    addBehind(series, all);
  }
  return lastsOf(reader, experimentId, series, context, wanted);
}

/** Reads the last points of experiments whose summaries include every point, by experiment. */
export async function readSettledLasts(
  reader: Reader,
  experimentIds: readonly string[],
  context: PointsReader,
  wanted?: WantedPartitions,
): Promise<Map<string, Last[]>> {
  const found = new Map<string, Last[]>();
  if (experimentIds.length === 0) return found;
  for (const [id, series] of await readSeries(reader, experimentIds, wanted))
    found.set(id, await lastsOf(reader, id, series, context, wanted));
  return found;
}

async function readSeries(
  reader: Reader,
  experimentIds: readonly string[],
  wanted: WantedPartitions | undefined,
): Promise<Map<string, Series>> {
  const rows = await reader.all<
    KnownLast & {
      experiment: string;
      number: number;
      name: string;
      meta: string;
      of: string | null;
    }
  >(
    `SELECT own.experiment, own.partition AS number, own.name, own.meta,
       CASE WHEN metric_summary.metric IS NULL THEN NULL ELSE metric_name.meta END AS "of",
       last AS value, last_timestamp AS timestamp, last_step AS step, last_partition AS partition
     FROM series AS own JOIN experiment ON experiment.id = own.experiment
     LEFT JOIN metric_name ON metric_name.organization = experiment.organization
       AND metric_name.name = own.name AND metric_name.meta IN ('', own.meta)
     LEFT JOIN metric_summary ON metric_summary.metric = metric_name.id
       AND metric_summary.experiment = own.experiment
     WHERE ${reader.isOneOf("own.experiment", "$1")}
       ${wanted === undefined ? "" : `AND ${reader.isOneOf("own.name", "$2")}`}`,
    JSON.stringify(experimentIds),
    ...(wanted === undefined ? [] : [JSON.stringify(wanted.names)]),
  );
  const found = new Map<string, Series>();
  for (const { experiment, number, name, meta, of, ...last } of rows) {
    const series = found.get(experiment) ?? { partitions: new Map(), lasts: new Map() };
    found.set(experiment, series);
    series.partitions.set(number, { name, meta });
    if (of !== null) series.lasts.set(metricName(name, of), last);
  }
  await addUntold(reader, experimentIds, wanted, found);
  return found;
}

/** Adds partitions of which the directory has not been told yet. */
async function addUntold(
  reader: Reader,
  experimentIds: readonly string[],
  wanted: WantedPartitions | undefined,
  found: Map<string, Series>,
): Promise<void> {
  for (const [own, ids] of await reader.atEach(experimentIds)) {
    if (own === reader) continue;
    const rows = await own.all<{ experiment: string; number: number; name: string; meta: string }>(
      `SELECT experiment, partition AS number, name, meta FROM series
       WHERE ${own.isOneOf("experiment", "$1")}
         ${wanted === undefined ? "" : `AND ${own.isOneOf("name", "$2")}`}`,
      JSON.stringify(ids),
      ...(wanted === undefined ? [] : [JSON.stringify(wanted.names)]),
    );
    for (const { experiment, number, name, meta } of rows) {
      const series = found.get(experiment) ?? { partitions: new Map(), lasts: new Map() };
      found.set(experiment, series);
      series.partitions.set(number, { name, meta });
    }
  }
}

function addBehind({ lasts }: Series, behind: Tally): void {
  for (const [{ name, meta }, summary] of behind.summaries) {
    const { last: value, lastStep: step, lastTimestamp: timestamp } = summary;
    const before = lasts.get(metricName(name, meta));
    const isBehind =
      before !== undefined &&
      (before.step > step || (before.step === step && before.timestamp > timestamp));
    if (isBehind) continue;
    lasts.set(metricName(name, meta), { value, timestamp, step, partition: summary.lastPartition });
  }
}

async function lastsOf(
  reader: Reader,
  experimentId: string,
  { partitions, lasts }: Series,
  { snapshots }: PointsReader,
  wanted: WantedPartitions | undefined,
): Promise<Last[]> {
  const counts = new Map<string, number>();
  for (const { name } of partitions.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const found: Last[] = [];
  const unknown: number[] = [];
  for (const [number, { name, meta }] of partitions) {
    const whole = lasts.get(metricName(name, ""));
    if (whole === undefined || wanted?.has(name, meta) === false) continue;
    const count = counts.get(name)!;
    // A series of more partitions may still have summaries of them that stay as they were.
    const own = count <= partitionsMax ? lasts.get(metricName(name, meta)) : undefined;
    const last = count === 1 || whole.partition === number ? whole : own;
    if (last === undefined) unknown.push(number);
    else found.push({ name, meta, value: last.value, timestamp: last.timestamp, step: last.step });
  }
  if (unknown.length === 0) return found;
  const snapshot = await snapshots.take(reader, experimentId, unknown);
  for (const number of unknown) {
    const last = await lastPoint(snapshot, number);
    if (last !== undefined) found.push({ ...partitions.get(number)!, ...last });
  }
  return found;
}

/** Reads only the parts that reach the last step. */
async function lastPoint(
  snapshot: Snapshot,
  partition: number,
): Promise<Pick<Last, "value" | "timestamp" | "step"> | undefined> {
  const sources = snapshot.sources(partition);
  const step = sources.reduce((most, { max }) => Math.max(most, max.step), -1);
  let last: { value: number; timestamp: number; step: number } | undefined;
  for (const source of sources) {
    if (source.max.step < step) continue;
    const points = await source.read();
    for (let at = 0; at < points.step.length; at++) {
      const timestamp = points.timestamp[at];
      if (points.step[at] === step && timestamp >= (last?.timestamp ?? 0))
        last = { value: points.value[at], timestamp, step };
    }
  }
  return last;
}
