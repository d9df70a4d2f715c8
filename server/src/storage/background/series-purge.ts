import type { Dropped, PartitionDropper } from "../../points/partition-dropper.ts";
import type { PurgeStep } from "./purging.ts";

/** A purged experiment whose worker has to remove its own rows first. */
interface PurgedElsewhere {
  organizationId: string;
  experimentId: string;
}

export interface SeriesPurgeParts {
  /** The next step of an entry of the trash; `series` has to go out of the segments. */
  step(
    id: string,
    isGoneElsewhere?: boolean,
  ): Promise<PurgeStep & { series?: Dropped; elsewhere?: PurgedElsewhere }>;
  dropper: Pick<PartitionDropper, "step">;
  end(id: string, series: Dropped, manifestSeq: number): Promise<PurgeStep>;
  /** The next step of removing an experiment from its worker. */
  forgetElsewhere(elsewhere: PurgedElsewhere): Promise<{ rows: number }>;
}

/** Takes one step of a purge: that of a series rewrites segments before the writer ends it. */
export async function purgeStepOf(parts: SeriesPurgeParts, id: string): Promise<PurgeStep> {
  const { elsewhere, ...first } = await parts.step(id);
  if (elsewhere !== undefined) {
    const { rows } = await parts.forgetElsewhere(elsewhere);
    if (rows > 0) return { rows, isDone: false };
  }
  const { series, ...taken } = elsewhere === undefined ? first : await parts.step(id, true);
  if (series === undefined) return taken;
  const dropping = await parts.dropper.step(series);
  if (dropping === "waiting") return { rows: 0, isDone: false, isWaiting: true };
  // Rewriting takes longer than any rows, and its pace is that of the disk.
  if (dropping === "rewritten") return { rows: 1, isDone: false };
  return parts.end(id, series, dropping.manifestSeq);
}
