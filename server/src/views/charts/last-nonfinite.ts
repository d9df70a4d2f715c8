import type { OverviewBody, OverviewReply } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { type Nonfinite, nonfiniteWord, readNonfinite } from "../../experiments/nonfinite.ts";
import { compareKeys, type Axis, type Key } from "../../points/sorted-points.ts";
import type { SelectedPartition } from "./selected-partitions.ts";

type PartitionReply = OverviewReply["series"][number];
export type NonfiniteEnd = Pick<PartitionReply, "lastNonfinite" | "mayEndNonfinite">;

/**
 * The last values of partitions that are not finite; undefined where there is none. Of a combined
 * line it is the later one of both its series.
 */
export async function readLastNonfinite(
  reader: Reader,
  partitions: readonly SelectedPartition[],
): Promise<(Nonfinite | undefined)[]> {
  const experiments = [...new Set(partitions.map(({ experimentId }) => experimentId))];
  const names = new Set(partitions.flatMap(namesOf));
  const found = await readNonfinite(reader, experiments, [...names]);
  const known = new Map(found.map((one) => [keyOf(one.experiment, one.name, one.meta), one]));
  return partitions.map((one) =>
    namesOf(one)
      .flatMap((name) => known.get(keyOf(one.experimentId, name, one.meta)) ?? [])
      .reduce<Nonfinite | undefined>(later, undefined),
  );
}

function namesOf({ seriesName, combined }: SelectedPartition): string[] {
  return combined === undefined ? [seriesName] : [seriesName, combined.seriesName];
}

function later(one: Nonfinite | undefined, other: Nonfinite): Nonfinite {
  return one === undefined || one.step < other.step ? other : one;
}

const keyOf = (...parts: string[]) => JSON.stringify(parts);

/**
 * Returns the last value that is not finite, where no point of the partition follows it. It is no
 * point, so that no line has it. Of earlier ones only their number is known.
 */
export async function nonfiniteEnd(
  { sources, origin, combined }: SelectedPartition,
  { step, timestamp, kind, notes }: Nonfinite,
  { xAxis, start = -Infinity, end = Infinity }: Pick<OverviewBody, "xAxis" | "start" | "end">,
): Promise<NonfiniteEnd> {
  if (combined !== undefined) {
    const lastStep = Math.min(...[sources, combined.sources].map(lastStepOf));
    return step < lastStep ? {} : { mayEndNonfinite: true };
  }
  const axis = xAxis === "timestamp" || xAxis === "elapsed" ? "timestamp" : "step";
  const key: Key = axis === "step" ? [step, timestamp] : [timestamp, step];
  const x = key[0] - origin;
  const value = nonfiniteWord(kind);
  const isWhole = start === -Infinity && end === Infinity;
  // Along another metric it has no place.
  if (xAxis === "metric" ? !isWhole : x >= end && notes > 1) return { mayEndNonfinite: true };
  if (xAxis !== "metric" && (x < start || x >= end)) return {};
  if (compareKeys(key, await lastKey(sources, axis, key[0])) < 0) return {};
  return { lastNonfinite: xAxis === "metric" ? { value } : { value, x } };
}

function lastStepOf(sources: SelectedPartition["sources"]): number {
  return sources.reduce((most, { max }) => Math.max(most, max.step), -Infinity);
}

/** Returns the key of the last point; points are read only where it is at the place `meant`. */
async function lastKey(
  sources: SelectedPartition["sources"],
  axis: Axis,
  meant: number,
): Promise<Key> {
  const first = sources.reduce((most, { max }) => Math.max(most, max[axis]), -Infinity);
  if (first !== meant) return [first, -Infinity];
  const other = axis === "step" ? "timestamp" : "step";
  let second = -Infinity;
  for (const source of sources) {
    if (source.max[axis] !== first) continue;
    const points = await source.read();
    for (const [at, place] of points[axis].entries())
      if (place === first) second = Math.max(second, points[other][at]);
  }
  return [first, second];
}
