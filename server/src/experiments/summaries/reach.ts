import type { SegmentBucket } from "../../buckets/bucket.ts";
import type { Database, Reader, Transaction } from "../../database/database.ts";
import { Snapshots } from "../../points/snapshots.ts";
import { type Progress, readProgress } from "./fold.ts";
import { Metrics } from "./metrics.ts";
import { countLog, Tally } from "./tally.ts";

type Reach = Pick<Progress, "firstMs" | "lastMs">;

const nowhere: Reach = { firstMs: null, lastMs: null };

/** Returns the times of the earliest and the latest point, of a tally and of earlier folds. */
export function reachOf(
  { firstMs, lastMs }: Pick<Tally, "firstMs" | "lastMs">,
  before = nowhere,
): Reach {
  const first = Math.min(firstMs, before.firstMs ?? Infinity);
  if (first === Infinity) return nowhere;
  return { firstMs: first, lastMs: Math.max(lastMs, before.lastMs ?? -Infinity) };
}

/** Reads these times as of now, with the log behind the summaries counted where it exists. */
export async function readReach(reader: Reader, experimentId: string): Promise<Reach> {
  const own = await reader.at(experimentId);
  const progress = await readProgress(reader, experimentId, own);
  if (progress === undefined) return nowhere;
  const { foldedSeq: from, logSeq: to } = progress;
  const range = { from, to, points: progress.points - progress.foldedPoints };
  const metrics = new Metrics(experimentId);
  await metrics.catchUp(own);
  const behind = new Tally(metrics);
  await countLog((work) => work(reader), experimentId, behind, range);
  return reachOf(behind, progress);
}

/** Times of all points, as the segments have them, and the series that they are of. */
export interface WholeReach extends Reach {
  experimentId: string;
  metricsVersion: number;
}

/**
 * Reads them without decoding a point: each sealed chunk says its own. Undefined: the summaries are
 * behind.
 */
export function readWholeReach(
  { database, bucket }: { database: Database; bucket: SegmentBucket },
  experimentId: string,
): Promise<WholeReach | undefined> {
  return database.read(async (reader) => {
    const progress = await readProgress(reader, experimentId);
    if (progress === undefined || progress.foldedSeq !== progress.logSeq) return undefined;
    const metrics = new Metrics(experimentId);
    await metrics.catchUp(reader);
    const all = Array.from({ length: metrics.partitions }, (_, partition) => partition);
    const living = all.filter((partition) => metrics.of(partition).length > 0);
    const snapshot = await new Snapshots(bucket, 0).take(reader, experimentId, living);
    const reach = { firstMs: Infinity, lastMs: -Infinity };
    for (const partition of living)
      for (const { min, max } of snapshot.sources(partition)) {
        reach.firstMs = Math.min(reach.firstMs, min.timestamp);
        reach.lastMs = Math.max(reach.lastMs, max.timestamp);
      }
    const { metricsVersion } = progress;
    return { experimentId, metricsVersion, ...reachOf(reach) };
  });
}

/**
 * `summaries.widen`: notes the times of all points, unless series were deleted since they were
 * read. What is being folded with the narrower times counts for nothing.
 */
export async function widenReach(
  transaction: Transaction,
  { experimentId, metricsVersion, firstMs, lastMs }: WholeReach,
): Promise<void> {
  await transaction.run(
    `UPDATE summarized SET reach_whole = 1, metrics_version = metrics_version + 1,
       first_point_ms = CASE WHEN first_point_ms <= $3 THEN first_point_ms ELSE $3 END,
       last_point_ms = CASE WHEN last_point_ms >= $4 THEN last_point_ms ELSE $4 END
     WHERE experiment = $1 AND metrics_version = $2 AND counted = 1 AND reach_whole = 0`,
    experimentId,
    metricsVersion,
    firstMs,
    lastMs,
  );
}
