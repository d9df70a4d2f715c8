import { memberColumns, type MemberColumns } from "@lossless/protocol/member-columns";
import type { Raster } from "@lossless/protocol/raster";
import type { Line } from "../lines/line.ts";
import type { Band } from "../view.ts";

/** The line of a group: only columns in which any member has a value. */
export interface GroupColumns {
  column: number[];
  mean: number[];
  low: number[];
  high: number[];
  /** Members with a value in each column. */
  count: number[];
}

/**
 * The mean of a group's members by column, with a band around it: from the least to the largest
 * point of all members, or by the standard deviation or standard error of their values.
 */
export function groupColumns(members: readonly Line[], raster: Raster, band: Band): GroupColumns {
  const all = members.map((member) => memberColumns(member, raster));
  const group: GroupColumns = { column: [], mean: [], low: [], high: [], count: [] };
  for (let column = 0; column < raster.columns; column++) {
    const here = all.filter(({ value }) => !Number.isNaN(value[column]));
    if (here.length === 0) continue;
    const mean = meanOf(here.map(({ value }) => value[column]));
    const [low, high] =
      band === "minmax" ? extentOf(here, column) : around(here, column, mean, band);
    group.column.push(column);
    group.mean.push(mean);
    group.low.push(low);
    group.high.push(high);
    group.count.push(here.length);
  }
  return group;
}

/** Divides each value first, so that the sum cannot overflow. */
function meanOf(values: readonly number[]): number {
  const sum = values.reduce((one, other) => one + other, 0);
  if (Number.isFinite(sum)) return sum / values.length;
  return values.reduce((mean, value) => mean + value / values.length, 0);
}

function extentOf(here: readonly MemberColumns[], column: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { min, max } of here) {
    low = Math.min(low, min[column]);
    high = Math.max(high, max[column]);
  }
  return [low, high];
}

/** The standard deviation of a sample, n - 1; a single value has none. */
function around(
  here: readonly MemberColumns[],
  column: number,
  mean: number,
  band: Band,
): [number, number] {
  const count = here.length;
  if (count === 1) return [mean, mean];
  const squares = here.reduce((sum, { value }) => sum + (value[column] - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (count - 1));
  const reach = band === "sem" ? deviation / Math.sqrt(count) : deviation;
  return [mean - reach, mean + reach];
}
