import type { OverviewReply } from "@lossless/client";
import { placeOfColumn } from "../axes/axis-x.ts";
import type { Partition } from "../lines/line.ts";
import { isHere, readingAt, wayTo, type Reading } from "./reading.ts";

/** The next place beyond x where any line has a point; without x, the first in that direction. */
export function nextPlace(
  overview: OverviewReply,
  x: number | undefined,
  direction: 1 | -1,
): number | undefined {
  const { xAxis } = overview;
  // A pointer may have left the cursor between two whole steps: the nearer one is read.
  const isStep = xAxis === "step" || xAxis === "offset";
  const from = x === undefined ? direction * -Infinity : isStep ? Math.round(x) : x;
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

/** The line nearest to a place of the plot, if any is drawn near it. */
export function nearestLine(
  overview: OverviewReply,
  place: { x: number; top: number },
  topOf: (value: number) => number,
): number | undefined {
  let nearest: number | undefined;
  let least = reach;
  for (const [at, partition] of overview.series.entries()) {
    const reading = readingAt(partition, overview, place.x);
    if (!isHere(reading)) continue;
    const [top, bottom] = edgesOf(reading, wayTo(reading, overview, place.x), topOf);
    const distance = Math.max(top - place.top, place.top - bottom, 0);
    // If several columns contain the pointer, the narrowest wins.
    const size = distance + Math.min(1, (bottom - top) / 10_000);
    if (size < least) [nearest, least] = [at, size];
  }
  return nearest;
}

/** The edges of a line under the cursor; between two recorded places it is straight. */
function edgesOf(
  { smoothed, min, max, next }: Reading,
  share: number,
  topOf: (value: number) => number,
): [number, number] {
  const [top, bottom] = [topOf(smoothed ?? max), topOf(smoothed ?? min)];
  if (next === undefined) return [top, bottom];
  const [nextTop, nextBottom] = edgesOf(next, 0, topOf);
  const between = (one: number, other: number) => one * (1 - share) + other * share;
  return [between(top, nextTop), between(bottom, nextBottom)];
}
