import { columnOf, type Raster } from "@lossless/protocol/raster";
import type { Curve } from "./line.ts";
import { joinedMean } from "./means.ts";
import { endOfColumn } from "./positions.ts";
import { stretchOf } from "./stretch.ts";

/**
 * The values that columns of pixels need of a line's points: first, last, least, largest and mean
 * of each column, gathered from blocks in the order of the axis. A line through the first four
 * covers the pixels that a line through every point covers.
 */
export class Columns {
  readonly column: number[] = [];
  readonly first: number[] = [];
  readonly last: number[] = [];
  readonly min: number[] = [];
  readonly max: number[] = [];
  readonly mean: number[] = [];
  /** The first points with the least and the largest value of all. */
  least: { x: number; value: number } | undefined;
  largest: { x: number; value: number } | undefined;
  /** Columns with several points at one x, where these are told. */
  readonly repeated: number[] = [];
  #lastX = NaN;
  readonly #count: number[] = [];
  readonly #raster: Raster;
  readonly #tellsRepeated: boolean;

  /** `tellsRepeated`: looks for several points at one x, which takes half as long again. */
  constructor(raster: Raster, tellsRepeated = false) {
    this.#raster = raster;
    this.#tellsRepeated = tellsRepeated;
  }

  /** The points from `start` to before `end`: in the range, and behind all that came before. */
  add({ x, value }: Curve, start: number, end: number): void {
    const placeAt = (at: number) => x[at];
    for (let row = start; row < end;) {
      const next = endOfColumn(this.#raster, row, end, placeAt);
      this.#take(columnOf(this.#raster, x[row]), { x, value }, row, next);
      row = next;
    }
  }

  /** The points from `start` to before `end` lie in one column; a block may end within it. */
  #take(column: number, { x, value }: Curve, start: number, end: number): void {
    if (this.column.at(-1) !== column) this.#open(column, value[start]);
    if (this.#tellsRepeated) this.#markRepeated(column, x, start, end);
    const at = this.column.length - 1;
    const { least, largest, mean } = stretchOf(value, start, end);
    const [min, max] = [value[least], value[largest]];
    this.last[at] = value[end - 1];
    if (min < this.min[at]) this.min[at] = min;
    if (max > this.max[at]) this.max[at] = max;
    if (this.least === undefined || min < this.least.value)
      this.least = { x: x[least], value: min };
    if (this.largest === undefined || max > this.largest.value)
      this.largest = { x: x[largest], value: max };
    this.#takeMean(at, end - start, mean);
  }

  #markRepeated(column: number, x: Float64Array, start: number, end: number): void {
    let before = this.#lastX;
    this.#lastX = x[end - 1];
    if (this.repeated.at(-1) === column) return;
    for (let at = start; at < end; at++) {
      if (x[at] === before) return void this.repeated.push(column);
      before = x[at];
    }
  }

  #open(column: number, first: number): void {
    this.column.push(column);
    this.#count.push(0);
    this.first.push(first);
    this.last.push(first);
    this.min.push(first);
    this.max.push(first);
    this.mean.push(0);
  }

  #takeMean(at: number, count: number, mean: number): void {
    const known = this.#count[at];
    this.mean[at] = joinedMean(known, this.mean[at], count, mean, this.min[at], this.max[at]);
    this.#count[at] = known + count;
  }
}
