import type { OverviewReply } from "@lossless/client";
import { placeOfColumn, readingAt } from "../axes/axis-x.ts";
import { kindsOf, type Kind } from "./colours.ts";
import type { MetaFields } from "../groups/grouping.ts";
import type { Partition } from "../paint/paint-line.ts";

/** An experiment with lines on a chart. */
export interface Member {
  experimentId: string;
  /** Grows when its series has more values: then the chart asks again. */
  revision: number;
  /** Its name and look, where it is one of several. */
  among?: { name: string; kind: Kind };
  /** The fields by which it is grouped. */
  meta?: MetaFields | undefined;
}

/** The look of a line, and its name among others. */
export interface LineLook {
  kind: Kind;
  name: string;
}

/**
 * Looks of the lines: each of several experiments has a colour; of a single one, each partition
 * has, unless they are drawn together.
 */
export function looksInOrder(
  overview: OverviewReply,
  members: readonly Member[],
  isTogether: boolean,
): LineLook[] {
  const kinds = kindsInOrder(overview, isTogether);
  return overview.series.map((line, at) => {
    const kind = amongOf(line, members)?.kind ?? kinds[at];
    return { kind, name: lineName(line, members) };
  });
}

/**
 * The name of a line: the experiment where there are several, and the partition where a series has
 * some.
 */
export function lineName(
  line: Pick<Partition, "experimentId" | "metadata">,
  members: readonly Member[],
): string {
  return [amongOf(line, members)?.name, metaText(line.metadata)].filter(Boolean).join(" ");
}

function amongOf({ experimentId }: Pick<Partition, "experimentId">, members: readonly Member[]) {
  return members.find((member) => member.experimentId === experimentId)?.among;
}

export function metaText(meta: Readonly<Record<string, string>>): string {
  return Object.entries(meta)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

/** The kinds of an overview's lines; together means that all have the same. */
export function kindsInOrder({ series }: OverviewReply, isTogether: boolean): Kind[] {
  const names = series.map((partition) =>
    isTogether ? partition.experimentId : nameOf(partition),
  );
  const kinds = kindsOf(names);
  return names.map((name) => kinds.get(name)!);
}

/** Identifies a partition by its meta; a line without one by its experiment. */
function nameOf({ experimentId, metadata }: Partition): string {
  const entries = Object.entries(metadata);
  return entries.length === 0
    ? experimentId
    : JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The next place beyond x where any line has a point; without x, the first in that direction. */
export function nextPlace(
  overview: OverviewReply,
  x: number | undefined,
  direction: 1 | -1,
): number | undefined {
  const from = x ?? direction * -Infinity;
  let found: number | undefined;
  for (const { exact, reduced, group } of overview.series as readonly Partition[]) {
    const placeOfOne = ({ column, x: own }: { column: number; x?: number | undefined }) =>
      own ?? placeOfColumn(overview, column);
    const columns = group?.recorded ?? reduced?.column.map((column) => ({ column }));
    const places = exact?.x ?? columns?.map(placeOfOne) ?? [];
    for (const place of places) {
      if ((place - from) * direction <= 0) continue;
      if (found === undefined || (place - found) * direction < 0) found = place;
    }
  }
  return found;
}

/** Distance of the pointer from a line, in CSS pixels, up to which the line counts as near. */
const reach = 24;

/** The line nearest to a place of the picture, if any is near. */
export function nearestLine(
  overview: OverviewReply,
  place: { x: number; top: number },
  topOf: (value: number) => number,
): number | undefined {
  let nearest: number | undefined;
  let least = reach;
  for (const [at, partition] of overview.series.entries()) {
    const reading = readingAt(partition, overview, place.x);
    if (reading === undefined) continue;
    const { smoothed, min, max } = reading;
    const [top, bottom] = [topOf(smoothed ?? max), topOf(smoothed ?? min)];
    const distance = Math.max(top - place.top, place.top - bottom, 0);
    // If several columns contain the pointer, the narrowest wins.
    const size = distance + Math.min(1, (bottom - top) / 10_000);
    if (size < least) [nearest, least] = [at, size];
  }
  return nearest;
}
