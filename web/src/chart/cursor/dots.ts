import type { OverviewReply } from "@lossless/client";
import type { Kind } from "../lines/colours.ts";
import type { LineLook } from "../lines/looks.ts";
import { isHere, readingAt, type Reading } from "./reading.ts";

/** A mark on a value that is read. */
export interface Dot {
  /** In units of the axis. */
  x: number;
  value: number;
  kind: Kind;
}

/**
 * Dots on the values read at a place: of the raised line, or of all lines if they are few. Between
 * two recorded places both are marked.
 */
export function dotsAt(
  overview: OverviewReply,
  looks: readonly LineLook[],
  x: number | undefined,
  raised: number | undefined,
  linesMax: number,
): Dot[] {
  if (x === undefined) return [];
  const { series } = overview;
  const few = series.length > linesMax ? [] : [...series.keys()];
  const lines = raised === undefined ? few : [raised];
  return lines.flatMap((line) => {
    const reading = readingAt(series[line], overview, x);
    if (!isHere(reading)) return [];
    const read = reading.next === undefined ? [reading] : [reading, reading.next];
    const { kind } = looks[line];
    return read.flatMap((one) => valuesOf(one).map((value) => ({ x: one.x, value, kind })));
  });
}

/** The values that a reading names: of a column the least and the largest. */
function valuesOf({ min, max, smoothed, group }: Reading): number[] {
  const values =
    group !== undefined ? [group.mean] : smoothed !== undefined ? [smoothed] : [min, max];
  return [...new Set(values)].filter(Number.isFinite);
}
