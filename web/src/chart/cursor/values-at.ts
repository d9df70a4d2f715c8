import type { OverviewReply } from "@lossless/client";
import { countText } from "../../parts/words.ts";
import { nameAlone, type LineLook } from "../lines/looks.ts";
import { placeText, readingPlace } from "./reading-text.ts";
import { isHere, lastOf, levelOf, readingAt, type Reading } from "./reading.ts";

/** The value of a line at the cursor. */
export interface ValueAt {
  /** Number of the line in the overview. */
  line: number;
  look: LineLook;
  reading: Reading;
  /** The height at which the line is drawn there, by which lists are sorted. */
  level: number;
}

export const orders = ["descending", "ascending"] as const;
export type Order = (typeof orders)[number];

/**
 * The values of all lines at a place, sorted; without a place their last ones. Behind them are the
 * last or first values of lines that are not drawn there. Lines without any value are left out.
 */
export function valuesAt(
  overview: OverviewReply,
  looks: readonly LineLook[],
  x: number | undefined,
  order: Order,
): ValueAt[] {
  const values = overview.series.flatMap((partition, line) => {
    const reading = x === undefined ? lastOf(partition) : readingAt(partition, overview, x);
    if (reading === undefined) return [];
    return { line, look: looks[line], reading, level: levelOf(reading, overview, x ?? NaN) };
  });
  const sign = order === "descending" ? -1 : 1;
  return values.sort((one, other) => {
    const away = Number(!isHere(one.reading)) - Number(!isHere(other.reading));
    if (away !== 0) return away;
    // NaN comes last in both orders.
    if (Number.isNaN(one.level) || Number.isNaN(other.level))
      return Number(Number.isNaN(one.level)) - Number(Number.isNaN(other.level));
    return one.level === other.level ? 0 : one.level < other.level ? -sign : sign;
  });
}

/** The place that most of the values have, in words; without one that of the cursor. */
export function placeOfMost(
  overview: OverviewReply,
  values: readonly ValueAt[],
  x: number | undefined,
): string | undefined {
  if (x === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const { reading } of values) {
    if (!isHere(reading)) continue;
    const place = readingPlace(overview, reading);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  let most: string | undefined;
  for (const [place, count] of counts)
    if (most === undefined || count > counts.get(most)!) most = place;
  return most ?? placeText(overview, x);
}

/** How many of the lines end ahead of the place, or begin after it; empty: none does. */
export function awayTexts(values: readonly ValueAt[]): string[] {
  const counts = { ended: 0, later: 0 };
  for (const { away } of values.map(({ reading }) => reading))
    if (away !== undefined) counts[away.point === "first" ? "later" : "ended"]++;
  const { ended, later } = counts;
  return [
    ...(ended === 0 ? [] : [`${countText(ended)} ${ended === 1 ? "ends" : "end"} before here`]),
    ...(later === 0 ? [] : [`${countText(later)} ${later === 1 ? "begins" : "begin"} later`]),
  ];
}

/** Values of the lines whose names contain all words, in any case. */
export function valuesNamed(values: readonly ValueAt[], filter: string): readonly ValueAt[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return values;
  return values.filter(({ look }) => {
    const name = nameAlone(look).toLowerCase();
    return words.every((word) => name.includes(word));
  });
}

/** The part of a list around one of its lines that has room for so many rows. */
export function partAround(
  values: readonly ValueAt[],
  line: number | undefined,
  rows: number,
): { from: number; to: number } {
  const at = values.findIndex((value) => value.line === line);
  const wanted = at < 0 ? 0 : at - Math.floor(rows / 2);
  const from = Math.max(0, Math.min(wanted, values.length - rows));
  return { from, to: Math.min(values.length, from + rows) };
}
