import type { OverviewReply } from "@lossless/client";
import { columnAround, columnOf } from "@lossless/protocol/raster";
import { timeText } from "../output.ts";
import { Dots } from "./dots.ts";

export interface ChartSize {
  /** Characters of the picture, without labels. */
  cellsWide: number;
  cellsHigh: number;
}

type Partition = OverviewReply["series"][number];

/**
 * Returns the lines of a chart with its axes. The overview has one column for each column of dots.
 */
export function chartLines(overview: OverviewReply, size: ChartSize, isLog: boolean): string[] {
  const heights = new Heights(overview.series, 4 * size.cellsHigh, isLog);
  const dots = new Dots(size.cellsWide, size.cellsHigh);
  for (const partition of overview.series) {
    draw(dots, overview, partition, heights);
    drawOutside(dots, overview, partition, heights);
  }
  const labels = labelsOf(heights, size.cellsHigh);
  const wide = Math.max(...labels.map((label) => label.length));
  const rows = dots.rows().map((row, at) => `${(labels[at] ?? "").padStart(wide)} ┤${row}`);
  const isWhole = overview.xAxis !== "metric";
  const last = placeText(overview, isWhole ? Math.ceil(overview.end) - 1 : overview.end);
  const first = placeText(overview, overview.start);
  const axis = first.padEnd(Math.max(first.length + 1, size.cellsWide - last.length)) + last;
  const margin = " ".repeat(wide + 1);
  return [...rows, `${margin}└${"─".repeat(size.cellsWide)}`, `${margin} ${axis}`];
}

function placeText({ xAxis }: OverviewReply, x: number): string {
  if (xAxis === "metric") return short(x);
  return xAxis === "timestamp" && Math.abs(x) <= dateMsMax ? timeText(x) : String(x);
}

/** The range of Date, on both sides of 1970. */
const dateMsMax = 8.64e15;

/** Heights of values, in dots. On a logarithmic axis values of 0 and below have none. */
class Heights {
  readonly least: number;
  readonly largest: number;
  readonly #dots: number;
  readonly #isLog: boolean;

  constructor(series: readonly Partition[], dots: number, isLog: boolean) {
    this.#dots = dots;
    this.#isLog = isLog;
    const values = series.flatMap(valuesOf).filter((value) => !isLog || value > 0);
    this.least = values.reduce((least, value) => Math.min(least, value), Infinity);
    this.largest = values.reduce((largest, value) => Math.max(largest, value), -Infinity);
  }

  of(value: number): number | undefined {
    const height = this.reach(value);
    return height && Math.min(this.#dots - 1, Math.floor(height));
  }

  /** The unrounded height, also of values outside the picture. */
  reach(value: number): number | undefined {
    if (this.#isLog && value <= 0) return undefined;
    const [least, largest] = [this.#scaled(this.least), this.#scaled(this.largest)];
    // A constant is drawn in the middle.
    const share = largest === least ? 0.5 : (this.#scaled(value) - least) / (largest - least);
    return share * this.#dots;
  }

  /** A row just outside the picture for heights beyond it. */
  near(height: number): number {
    return Math.floor(Math.min(this.#dots, Math.max(-1, height)));
  }

  /** The value at a share of the height, from 0 at the bottom. */
  at(share: number): number {
    if (this.largest === this.least) return this.least;
    const [least, largest] = [this.#scaled(this.least), this.#scaled(this.largest)];
    const scaled = least + share * (largest - least);
    return this.#isLog ? 10 ** scaled : scaled;
  }

  #scaled(value: number): number {
    return this.#isLog ? Math.log10(value) : value;
  }
}

function valuesOf({ exact, reduced }: Partition): number[] {
  if (reduced !== undefined) return [...reduced.min, ...reduced.max];
  return exact?.value ?? [];
}

function draw(
  dots: Dots,
  overview: OverviewReply,
  { exact, reduced }: Partition,
  heights: Heights,
): void {
  let before: { x: number; y: number } | undefined;
  const join = (x: number, value: number) => {
    const y = heights.of(value);
    if (y !== undefined) dots.line(before?.x ?? x, before?.y ?? y, x, y);
    before = y === undefined ? undefined : { x, y };
  };
  exact?.x.forEach((x, at) => {
    join(columnOf(overview, x), exact.value[at]);
  });
  reduced?.column.forEach((x, at) => {
    join(x, reduced.first[at]);
    const low = heights.of(reduced.min[at]) ?? 0;
    const high = heights.of(reduced.max[at]);
    if (high !== undefined) dots.column(x, low, high);
    const y = heights.of(reduced.last[at]);
    before = y === undefined ? undefined : { x, y };
  });
}

/** Draws the visible parts of the lines to the points before and after the range. */
function drawOutside(
  dots: Dots,
  overview: OverviewReply,
  { exact, reduced, before, after }: Partition,
  heights: Heights,
): void {
  const placed = (column: number | undefined, value: number | undefined): Place | undefined => {
    const y = value === undefined ? undefined : heights.reach(value);
    return column === undefined || y === undefined ? undefined : { x: column, y };
  };
  const outer = (point: Partition["before"]) =>
    point && placed(columnAround(overview, point.x), point.value);
  const columns = exact?.x.map((x) => columnOf(overview, x)) ?? reduced?.column ?? [];
  const values = { first: exact?.value ?? reduced?.first, last: exact?.value ?? reduced?.last };
  const first = placed(columns.at(0), values.first?.at(0));
  const last = placed(columns.at(-1), values.last?.at(-1));
  const way = (one: Place | undefined, other: Place | undefined) => {
    if (one === undefined || other === undefined) return;
    const rise = (other.y - one.y) / (other.x - one.x);
    const heightAt = (x: number) => heights.near(one.y + rise * (x - one.x));
    const [from, to] = [Math.max(one.x, -1), Math.min(other.x, overview.columns)];
    dots.line(from, heightAt(from), to, heightAt(to));
  };
  if (columns.length === 0) return way(outer(before), outer(after));
  way(outer(before), first);
  way(last, outer(after));
}

interface Place {
  x: number;
  y: number;
}

/** Labels for every fourth row and the lowest one. */
function labelsOf(heights: Heights, rows: number): string[] {
  return Array.from({ length: rows }, (_, row) => {
    if (heights.least > heights.largest) return row === 0 ? "none above 0" : "";
    if (row % 4 !== 0 && row !== rows - 1) return "";
    return short(heights.at(rows === 1 ? 0.5 : (rows - 1 - row) / (rows - 1)));
  });
}

function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}
