import type { OverviewReply } from "@lossless/client";
import type { Partition } from "../lines/line.ts";
import type { Pointed } from "./board.ts";

/** A line under the pointer, as other charts and lists know it. */
export function pointedLine(
  { series }: OverviewReply,
  line: number | undefined,
  chart: string,
): Pointed | undefined {
  const partition = line === undefined ? undefined : (series[line] as Partition | undefined);
  if (partition === undefined) return undefined;
  const { experimentId, group, metadata } = partition;
  const members = new Set(group?.members.map((member) => member.experimentId));
  const experimentIds = group === undefined ? [experimentId] : [...members];
  return { experimentIds, line: { chart, metadata } };
}

/**
 * The line that is meant by one of another chart, or by a row of a list. Of several partitions of
 * an experiment the one with the same meta is, or the first where a whole experiment is meant.
 */
export function meantLine(
  { series }: OverviewReply,
  { experimentIds, line }: Pointed,
): number | undefined {
  if (series.length < 2) return undefined;
  const isMeant = ({ experimentId, group }: Partition) =>
    group === undefined
      ? experimentIds.length === 1 && experimentId === experimentIds[0]
      : group.members.some((member) => experimentIds.includes(member.experimentId));
  const lines = [...(series as readonly Partition[]).entries()];
  const found = lines.filter(([, partition]) => isMeant(partition));
  const isOnly = found.length === 1 || line === undefined;
  const same = found.find(([, { metadata }]) => isSame(metadata, line?.metadata ?? {}));
  return (same ?? (isOnly ? found[0] : undefined))?.[0];
}

/** Whether the same lines are under the pointer: then nothing is painted again. */
export function isSamePointed(one: Pointed | undefined, other: Pointed | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const [line, second] = [one.line, other.line];
  return (
    line?.chart === second?.chart &&
    isSame(line?.metadata ?? {}, second?.metadata ?? {}) &&
    one.experimentIds.length === other.experimentIds.length &&
    one.experimentIds.every((id, at) => id === other.experimentIds[at])
  );
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
