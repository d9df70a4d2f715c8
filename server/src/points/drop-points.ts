import type { Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { countPurged } from "../database/quotas/recorded-points.ts";
import { replaceSegments, type SegmentRow } from "./manifest.ts";

export interface DropPoints {
  experimentId: string;
  /** The key of the segment that is rewritten. */
  replaced: string;
  /** The new segment; undefined when no points are left. */
  segment: SegmentRow | undefined;
  /** Points that the old one had of each dropped partition. */
  dropped: [partition: number, points: number][];
}

/**
 * `points.drop`: replaces a segment by one without the points of partitions being purged, if it
 * still exists. Their identifiers stay known. The summaries of other series do not change; they
 * must include every dropped point.
 */
export async function dropPoints(
  transaction: Transaction,
  { experimentId, replaced, segment, dropped }: DropPoints,
  context: Counting,
): Promise<{ published: boolean }> {
  const segments = segment === undefined ? [] : [segment];
  const manifest = { experimentId, replaced: [replaced], segments };
  const { published } = await replaceSegments(transaction, manifest, context);
  if (!published) return { published };
  const points = dropped.reduce((sum, [, count]) => sum + count, 0);
  // Whether all points came through MLflow (its points are those of the head) is left as it was.
  const all = "(SELECT points FROM head WHERE experiment = $1)";
  await transaction.run(
    `UPDATE run SET points = CASE WHEN points = ${all} THEN points - $2
       WHEN points >= ${all} - $2 THEN ${all} - $2 - 1 ELSE points END
     WHERE experiment = $1`,
    experimentId,
    points,
  );
  await transaction.run(
    "UPDATE head SET points = points - $2, sealed_points = sealed_points - $2 WHERE experiment = $1",
    experimentId,
    points,
  );
  await transaction.run(
    `UPDATE summarized SET metrics_version = metrics_version + 1,
       folded_points = CASE WHEN counted = 1 THEN folded_points - $2 ELSE folded_points END
     WHERE experiment = $1`,
    experimentId,
    points,
  );
  for (const [partition, count] of dropped) {
    await transaction.run(
      "UPDATE dropped_series SET points = points + $3 WHERE experiment = $1 AND partition = $2",
      experimentId,
      partition,
      count,
    );
  }
  const row = await transaction.get<{ organization: string }>(
    "SELECT organization FROM experiment WHERE id = $1",
    experimentId,
  );
  // Days go on saying how many points came on them.
  await countPurged(transaction, row!.organization, points);
  return { published };
}

/** Partitions that were purged get points again, under the numbers that they had. */
export async function revivePartitions(
  transaction: Transaction,
  experimentId: string,
  numbers: readonly number[],
): Promise<void> {
  await transaction.run(
    `UPDATE dropped_series SET is_out = 0
     WHERE experiment = $1 AND ${transaction.isOneOfIntegers("partition", "$2")}`,
    experimentId,
    JSON.stringify(numbers),
  );
  await transaction.run(
    "UPDATE summarized SET metrics_version = metrics_version + 1 WHERE experiment = $1",
    experimentId,
  );
  // Other nodes know them as gone until they see that something has changed.
  await transaction.run(
    "UPDATE head SET manifest_seq = manifest_seq + 1 WHERE experiment = $1",
    experimentId,
  );
}
