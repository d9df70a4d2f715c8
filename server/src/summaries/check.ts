import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { readSegmentIndex } from "../points/segment.ts";
import { Snapshot } from "../points/snapshots.ts";
import { Tail } from "../points/tail.ts";
import { configLeaves } from "./config.ts";
import { leafText, readConfigs } from "./config-index.ts";
import { entryText, findEntries } from "./dictionary.ts";
import { type Progress, readProgress } from "./fold.ts";
import { Metrics } from "./metrics.ts";
import type { Summary } from "./summary.ts";
import { readSummaries, summaryMembers } from "./summary-rows.ts";
import { countLog, Tally } from "./tally.ts";

/**
 * What is wrong with an experiment's summaries and the index of its meta, one sentence each: all of
 * it is made again from its points and its meta, and compared. What is not counted or indexed yet
 * is not wrong.
 */
export async function checkSummaries(
  reader: Reader,
  bucket: SegmentBucket,
  experimentId: string,
): Promise<string[]> {
  const progress = await readProgress(reader, experimentId);
  if (progress === undefined) return ["has no row that says how far its summaries are"];
  // While a fold is behind a seal, its part of the segments cannot be told.
  const isKnown = progress.counted === 1 && progress.foldedSeq >= progress.sealSeq;
  const wrong = isKnown ? await wrongSummaries(reader, bucket, experimentId, progress) : [];
  return [...wrong, ...(await wrongLeaves(reader, experimentId))];
}

async function wrongSummaries(
  reader: Reader,
  bucket: SegmentBucket,
  experimentId: string,
  progress: Progress,
): Promise<string[]> {
  const { organizationId, sealSeq: from, foldedSeq: to } = progress;
  const metrics = new Metrics(experimentId);
  await metrics.catchUp(reader);
  const tally = new Tally(metrics);
  const sealed = await sealedSnapshot(reader, bucket, experimentId);
  for (let partition = 0; partition < metrics.partitions; partition++) {
    await tally.addPartition(partition, sealed, async () => undefined);
  }
  const read = <Result>(work: (reader: Reader) => Promise<Result>) => work(reader);
  const points = progress.foldedPoints - tally.points;
  if (!(await countLog(read, experimentId, tally, { from, to, points }))) {
    return [`misses log records behind ${from} that its summaries hold`];
  }
  const wrong: string[] = [];
  if (tally.points !== progress.foldedPoints) {
    wrong.push(`has ${progress.foldedPoints} points in its summaries, which are ${tally.points}`);
  }
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
  const rows = await reader.all<{ key: string }>(
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
    const allowed = member === "sum" ? roundedBy : 0;
    if (Math.abs(stored[member] - found[member]) <= allowed) continue;
    return `says ${member} ${stored[member]}, its points come to ${found[member]}`;
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
  return isSame ? [] : ["has other leaves of its meta in the index"];
}
