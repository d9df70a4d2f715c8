import type { Reader } from "../../database/database.ts";
import { type Progress, readProgress } from "./fold.ts";
import { Metrics } from "./metrics.ts";
import { countLog, Tally } from "./tally.ts";

type Reach = Pick<Progress, "firstMs" | "lastMs">;

const nowhere: Reach = { firstMs: null, lastMs: null };

/** Returns the times of the earliest and the latest point, of a tally and of earlier folds. */
export function reachOf({ firstMs, lastMs }: Tally, before = nowhere): Reach {
  const first = Math.min(firstMs, before.firstMs ?? Infinity);
  if (first === Infinity) return nowhere;
  return { firstMs: first, lastMs: Math.max(lastMs, before.lastMs ?? -Infinity) };
}

/** Reads these times as of now, with the log behind the summaries counted where it exists. */
export async function readReach(reader: Reader, experimentId: string): Promise<Reach> {
  const progress = await readProgress(reader, experimentId);
  if (progress === undefined) return nowhere;
  const { foldedSeq: from, logSeq: to } = progress;
  const range = { from, to, points: progress.points - progress.foldedPoints };
  const metrics = new Metrics(experimentId);
  await metrics.catchUp(reader);
  const behind = new Tally(metrics);
  await countLog((work) => work(reader), experimentId, behind, range);
  return reachOf(behind, progress);
}
