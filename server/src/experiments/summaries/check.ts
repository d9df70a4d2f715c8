import type { SegmentBucket } from "../../buckets/bucket.ts";
import type { Reader } from "../../database/database.ts";
import { readAnnotated } from "../annotated.ts";
import { wrongLineage } from "../lineage/check-lineage.ts";
import { wrongLogged } from "../logged/check-logged.ts";
import {
  countNonfinite,
  type Nonfinite,
  nonfinitePartitionsMax,
  readNonfinite,
} from "../nonfinite.ts";
import { readSegmentIndex } from "../../points/segment.ts";
import { Snapshot } from "../../points/snapshots.ts";
import { Tail } from "../../points/tail.ts";
import { configLeaves } from "./config.ts";
import { leafText, readConfigs } from "./config-index.ts";
import { entryText, findEntries } from "./dictionary.ts";
import { type Progress, readProgress } from "./fold.ts";
import { Metrics } from "./metrics.ts";
import { readNonfiniteSummaries } from "./nonfinite-rows.ts";
import { smallness, type Summary } from "./summary.ts";
import { readSummaries, summaryMembers } from "./summary-rows.ts";
import { countLog, Tally } from "./tally.ts";

/**
 * Finds faults in an experiment's summaries and the indexes of its meta and of what it logged, one
 * sentence each: all of it is computed again from its points, its meta and its annotations, and
 * compared. What is not counted or indexed yet is no fault.
 */
export async function checkSummaries(
  reader: Reader,
  bucket: SegmentBucket,
  experimentId: string,
): Promise<string[]> {
  const own = await reader.at(experimentId);
  const progress = await readProgress(reader, experimentId, own);
  if (progress === undefined) return ["has no row for the progress of its summaries"];
  // While a fold is behind a seal, its part of the segments is unknown.
  const isKnown = progress.counted === 1 && progress.foldedSeq >= progress.sealSeq;
  const wrong = isKnown ? await wrongSummaries(reader, bucket, experimentId, progress) : [];
  const leaves = await wrongLeaves(reader, experimentId);
  const nonfinite = await wrongNonfinite(reader, experimentId);
  const annotated = await readAnnotated(reader, experimentId);
  const logged = await wrongLogged(reader, experimentId, annotated);
  const lineage = await wrongLineage(reader, experimentId, annotated);
  return [...wrong, ...leaves, ...nonfinite, ...logged, ...lineage];
}

async function wrongSummaries(
  reader: Reader,
  bucket: SegmentBucket,
  experimentId: string,
  progress: Progress,
): Promise<string[]> {
  const { organizationId, sealSeq: from, foldedSeq: to } = progress;
  const metrics = new Metrics(experimentId);
  await metrics.catchUp(await reader.at(experimentId));
  const tally = new Tally(metrics);
  const sealed = await sealedSnapshot(reader, bucket, experimentId);
  for (let partition = 0; partition < metrics.partitions; partition++) {
    await tally.addPartition(partition, sealed, async () => undefined);
  }
  const read = <Result>(work: (reader: Reader) => Promise<Result>) => work(reader);
  const points = progress.foldedPoints - tally.points;
  if (!(await countLog(read, experimentId, tally, { from, to, points }))) {
    return [`lacks log records after ${from} that its summaries include`];
  }
  const wrong: string[] = [];
  if (tally.points !== progress.foldedPoints) {
    wrong.push(`has ${progress.foldedPoints} points in its summaries, and ${tally.points} stored`);
  }
  const { firstMs, lastMs } = progress;
  const isReached = tally.points === 0 || (firstMs !== null && lastMs !== null);
  // Times from before migration 033 may span less, and those of deleted series more.
  const isWithin = metrics.hasDropped || (tally.firstMs <= firstMs! && tally.lastMs >= lastMs!);
  if (!isReached || (tally.points > 0 && !isWithin))
    wrong.push(`has a wrong time span of its points, ${firstMs} to ${lastMs}`);
  const entries = [...tally.summaries.keys()].map(({ name, meta }) => [name, meta]);
  const wanted = { dictionary: "metric_name", organizationId, entries } as const;
  const ids = await findEntries(reader, wanted);
  const rows = await readSummaries(reader, experimentId, [...ids.values()]);
  const stored = new Map(rows.map((row) => [row.metric, row]));
  for (const [{ name, meta }, summary] of tally.summaries) {
    const row = stored.get(ids.get(entryText([name, meta])) ?? -1);
    // Rows ahead are of a fold that was cut off, and that will be made again.
    if (row !== undefined && row.foldedSeq > to) continue;
    const difference = row === undefined ? "is missing" : differenceOf(row.summary, summary);
    if (difference !== undefined)
      wrong.push(`summary of ${name} ${meta}`.trim() + ` ${difference}`);
  }
  return wrong;
}

async function sealedSnapshot(
  reader: Reader,
  bucket: SegmentBucket,
  experimentId: string,
): Promise<Snapshot> {
  const own = await reader.at(experimentId);
  const rows = await own.all<{ key: string }>(
    "SELECT key FROM segment WHERE experiment = $1 AND kind = 'points' ORDER BY seq_from",
    experimentId,
  );
  const segments: ConstructorParameters<typeof Snapshot>[1] = [];
  for (const { key } of rows) segments.push({ key, index: await readSegmentIndex(bucket, key) });
  return new Snapshot(bucket, segments, new Tail(0), []);
}

/** Sums are rounded in the order in which the points were added. */
function differenceOf(stored: Summary, found: Summary): string | undefined {
  const roundedBy = 1e-9 * found.points * Math.max(Math.abs(found.min), Math.abs(found.max));
  for (const member of summaryMembers) {
    if (stored[member] === found[member]) continue;
    const allowed =
      member === "sum" ? roundedBy : member === "smallSum" ? roundedBy * smallness : 0;
    if (Math.abs(stored[member] - found[member]) <= allowed) continue;
    return `has ${member} ${stored[member]}, and its points give ${found[member]}`;
  }
  return undefined;
}

async function wrongLeaves(reader: Reader, experimentId: string): Promise<string[]> {
  const [config] = await readConfigs(reader, [experimentId]);
  if (config === undefined || config.indexedVersion < config.version) return [];
  const stored = config.leaves.map(leafText);
  const { meta, attributes } = config;
  const leaves = configLeaves(JSON.parse(meta) as object, attributes);
  const found = new Set(leaves.map(leafText));
  const isSame = stored.length === found.size && stored.every((text) => found.has(text));
  return isSame ? [] : ["has wrong leaves of its meta in the index"];
}

/** Finds wrong rows of non-finite values. Deleted series leave annotations that no longer count. */
async function wrongNonfinite(reader: Reader, experimentId: string): Promise<string[]> {
  const row = await reader.get<{ notes_before: number; due: number }>(
    `SELECT notes_before, meta_version - indexed_version AS due FROM summarized WHERE experiment = $1`,
    experimentId,
  );
  if (row === undefined || row.notes_before !== 0) return [];
  const stored = await readNonfinite(reader, [experimentId]);
  const dropped = await reader.all<{ name: string }>(
    "SELECT DISTINCT name FROM dropped_series WHERE experiment = $1",
    experimentId,
  );
  const without = new Set(dropped.map(({ name }) => name));
  const found = (await countNonfinite(reader, experimentId)).filter(
    ({ name }) => !without.has(name),
  );
  const known = new Map(stored.map((one) => [partitionText(one), one]));
  const wrong = found
    .slice(0, stored.length === nonfinitePartitionsMax ? 0 : undefined)
    .filter((one) => !isSame(known.get(partitionText(one)), one))
    .map(({ name, meta }) => `has a wrong count of values that are not finite for ${name} ${meta}`);
  if (row.due > 0) return wrong;
  return [...wrong, ...(await wrongNonfiniteRows(reader, experimentId))];
}

async function wrongNonfiniteRows(reader: Reader, experimentId: string): Promise<string[]> {
  const wanted = (await readNonfiniteSummaries(reader, [experimentId])).get(experimentId) ?? [];
  const rows = await reader.all<{
    name: string;
    meta: string;
    notes: number;
    step: number;
    kind: number;
  }>(
    `SELECT name, meta, nonfinite AS notes, nonfinite_step AS step, nonfinite_kind AS kind
     FROM metric_summary JOIN metric_name ON id = metric
     WHERE experiment = $1 AND ${reader.isOneOf("name", "$2")}`,
    experimentId,
    JSON.stringify(wanted.map(({ name }) => name)),
  );
  const stored = new Map(rows.map((row) => [partitionText(row), row]));
  return wanted.flatMap((one) => {
    const row = stored.get(partitionText(one));
    const isRight = row?.notes === one.notes && row.step === one.step && row.kind === one.kind;
    return isRight
      ? []
      : [`summary of ${one.name} ${one.meta}`.trim() + " lacks values that are not finite"];
  });
}

function partitionText({ name, meta }: { name: string; meta: string }): string {
  return JSON.stringify([name, meta]);
}

function isSame(stored: Nonfinite | undefined, { notes, step, kind }: Nonfinite): boolean {
  return stored?.notes === notes && stored.step === step && stored.kind === kind;
}
