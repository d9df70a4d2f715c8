import type { LoggedHistogramsReply } from "@lossless/client";
import { countText, valueText } from "../../parts/words.ts";
import type { Cell } from "../plots/shades.ts";
import { placeOn, type StepAxis } from "./step-axis.ts";

type HistogramMap = LoggedHistogramsReply["maps"][number];
export type HistogramColumn = HistogramMap["columns"][number];
export type Grid = Pick<LoggedHistogramsReply, "low" | "high" | "bins">;

/**
 * The steps between which each column is drawn: to the middle between it and its neighbours, so
 * that a place shows the column nearest to it. At both ends it is as wide as on its other side.
 */
export function columnEdges(columns: readonly HistogramColumn[]): number[] {
  if (columns.length === 0) return [];
  const between = columns.slice(1).map(({ step }, at) => (columns[at].lastStep + step) / 2);
  const [first, last] = [columns[0], columns.at(-1)!];
  const half = (one: number | undefined, other: number) =>
    one === undefined ? 0.5 : Math.abs(one - other);
  return [
    first.step - half(between[0], first.lastStep),
    ...between,
    last.lastStep + half(between.at(-1), last.step),
  ];
}

/** An axis for maps: of their columns. */
export function axisOfMaps(maps: readonly Pick<HistogramMap, "columns">[]): StepAxis {
  const edges = maps.flatMap(({ columns }) => {
    const own = columnEdges(columns);
    return own.length === 0 ? [] : [own[0], own.at(-1)!];
  });
  if (edges.length === 0) return { start: 0, end: 1 };
  return { start: Math.min(...edges), end: Math.max(...edges) };
}

interface Room {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * The cells of a map. The colour of a cell is its share of the values of its column, so that
 * columns of more values or steps are not darker; the largest share of all is the darkest.
 */
export function* cellsOfMap(
  { columns }: Pick<HistogramMap, "columns">,
  bins: number,
  axis: StepAxis,
  largest: number,
  room: Room,
): Generator<Cell> {
  const edges = columnEdges(columns);
  const xOf = (step: number) =>
    room.left + Math.min(1, Math.max(0, placeOn(axis, step))) * room.width;
  const height = room.height / bins;
  for (const [at, column] of columns.entries()) {
    const left = xOf(edges[at]);
    const width = xOf(edges[at + 1]) - left;
    if (width <= 0) continue;
    const total = totalOf(column) || 1;
    for (const [bin, count] of column.counts.entries()) {
      const top = room.top + (bins - 1 - bin) * height;
      yield { left, top, width, height, share: count / total / largest };
    }
  }
}

/** The largest share of a bin in any column. */
export function largestShare(maps: readonly Pick<HistogramMap, "columns">[]): number {
  let largest = 0;
  for (const { columns } of maps)
    for (const column of columns) {
      const total = totalOf(column) || 1;
      for (const count of column.counts) largest = Math.max(largest, count / total);
    }
  return largest || 1;
}

/** Values of a column, also beyond the bins, without those that are not finite. */
export function totalOf({ counts, below, above }: HistogramColumn): number {
  return counts.reduce((sum, count) => sum + count, below + above);
}

/** The column nearest to a step; undefined: there is none. */
export function columnAt(columns: readonly HistogramColumn[], step: number): number | undefined {
  if (columns.length === 0) return undefined;
  const edges = columnEdges(columns);
  let low = 0;
  let high = columns.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (edges[middle + 1] < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Describes a bin of a column: `step 900: 3,120 of 10,000 values (31 %) from 0.5 to 0.75`. */
export function binText({ low, high, bins }: Grid, column: HistogramColumn, bin: number): string {
  const { step, lastStep, items, counts, nonfinite } = column;
  const width = (high - low) / bins;
  const [from, to] = [low + bin * width, low + (bin + 1) * width];
  // As many digits as tell neighbouring edges apart.
  const size = Math.max(Math.abs(low), Math.abs(high));
  const digits = Math.max(3, Math.ceil(Math.log10(size / width || 1)) + 2);
  // A sum of parts: 499.9999999999999 values are 500.
  const total = Number(totalOf(column).toPrecision(12));
  const count = counts[bin] ?? 0;
  const steps =
    lastStep === step
      ? `step ${countText(step)}`
      : `steps ${countText(step)} to ${countText(lastStep)}, ${countText(items)} histograms`;
  const share = total === 0 ? "" : ` (${valueText((count / total) * 100, 2)} %)`;
  const lost = nonfinite === 0 ? "" : `, ${countText(nonfinite)} not finite`;
  // Counts are divided over bins by area, so they need not be whole.
  return `${steps}: ${valueText(count, 4)} of ${valueText(total)} values${share} from ${valueText(from, digits)} to ${valueText(to, digits)}${lost}`;
}
