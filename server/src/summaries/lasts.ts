import type { Reader } from "../database/database.ts";
import type { Snapshot } from "../points/snapshots.ts";
import { readProgress } from "./fold.ts";
import { Metrics } from "./metrics.ts";
import { countLog, Tally } from "./tally.ts";

/** The last point of a metric, of all its partitions together. */
export interface Last {
  name: string;
  value: number;
  timestamp: number;
  step: number;
}

export interface PointsReader {
  snapshots: {
    take(reader: Reader, experimentId: string, partitions: Iterable<number>): Promise<Snapshot>;
  };
}

/** Those of an experiment as of now: its summaries, with the log behind them counted. */
export async function readLasts(
  reader: Reader,
  experimentId: string,
  { snapshots }: PointsReader,
): Promise<Last[]> {
  const progress = await readProgress(reader, experimentId);
  if (progress === undefined) return [];
  const { counted, foldedSeq: from, logSeq: to } = progress;
  const metrics = new Metrics(experimentId);
  await metrics.catchUp(reader);
  const behind = new Tally(metrics);
  const isWhole =
    counted === 1 && (await countLog((work) => work(reader), experimentId, behind, { from, to }));
  if (isWhole) {
    const [settled = []] = [...(await readSettledLasts(reader, [experimentId])).values()];
    return merged(settled, behind);
  }
  const all = new Tally(metrics);
  const numbers = Array.from({ length: metrics.partitions }, (_, number) => number);
  const snapshot = await snapshots.take(reader, experimentId, numbers);
  for (const number of numbers) await all.addPartition(number, snapshot, async () => {});
  return merged([], all);
}

/** Those that the summaries have, by experiment; of one metric or of all. */
export async function readSettledLasts(
  reader: Reader,
  experimentIds: readonly string[],
  name?: string,
): Promise<Map<string, Last[]>> {
  const found = new Map<string, Last[]>();
  if (experimentIds.length === 0) return found;
  const rows = await reader.all<Last & { experiment: string }>(
    `SELECT own.experiment, own.name, last AS value, last_timestamp AS timestamp, last_step AS step
     FROM (SELECT DISTINCT experiment, name FROM series
       WHERE ${reader.isOneOf("experiment", "$1")} ${name === undefined ? "" : "AND name = $2"}) AS own
     JOIN experiment ON experiment.id = own.experiment
     JOIN metric_name ON metric_name.organization = experiment.organization
       AND metric_name.name = own.name AND metric_name.meta = ''
     JOIN metric_summary ON metric = metric_name.id AND metric_summary.experiment = own.experiment`,
    JSON.stringify(experimentIds),
    ...(name === undefined ? [] : [name]),
  );
  for (const { experiment, ...last } of rows) {
    const known = found.get(experiment);
    if (known === undefined) found.set(experiment, [last]);
    else known.push(last);
  }
  return found;
}

function merged(settled: readonly Last[], behind: Tally): Last[] {
  const lasts = new Map(settled.map((last) => [last.name, last]));
  for (const [{ name, meta }, summary] of behind.summaries) {
    if (meta !== "") continue;
    const { last: value, lastStep: step, lastTimestamp: timestamp } = summary;
    const before = lasts.get(name);
    const isBehind =
      before !== undefined &&
      (before.step > step || (before.step === step && before.timestamp > timestamp));
    if (!isBehind) lasts.set(name, { name, value, timestamp, step });
  }
  return [...lasts.values()];
}
