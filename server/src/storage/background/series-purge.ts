import type { Dropped, PartitionDropper } from "../../points/partition-dropper.ts";
import type { PurgeStep } from "./purging.ts";

export interface SeriesPurgeParts {
  /** The next step of an entry of the trash; `series` has to go out of the segments. */
  step(id: string): Promise<PurgeStep & { series?: Dropped }>;
  dropper: Pick<PartitionDropper, "step">;
  end(id: string, manifestSeq: number): Promise<PurgeStep>;
}

/** Takes one step of a purge: that of a series rewrites segments before the writer ends it. */
export async function purgeStepOf(parts: SeriesPurgeParts, id: string): Promise<PurgeStep> {
  const { series, ...taken } = await parts.step(id);
  if (series === undefined) return taken;
  const dropping = await parts.dropper.step(series);
  if (dropping === "waiting") return { rows: 0, isDone: false, isWaiting: true };
  // Rewriting takes longer than any rows, and its pace is that of the disk.
  if (dropping === "rewritten") return { rows: 1, isDone: false };
  return parts.end(id, dropping.manifestSeq);
}
