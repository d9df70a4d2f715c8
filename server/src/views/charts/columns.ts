import { columnOf, type Raster } from "@lossless/protocol/raster";
import type { Curve } from "./line.ts";
import { joinedMean, meanOfHuge } from "./means.ts";

/**
 * What columns of pixels need of a line's points: first, last, least, largest and mean of each
 * column, gathered from blocks in the order of the axis. A line through the first four covers the
 * pixels that a line through every point covers.
 */
export class Columns {
  readonly column: number[] = [];
  readonly first: number[] = [];
  readonly last: number[] = [];
  readonly min: number[] = [];
  readonly max: number[] = [];
  readonly mean: number[] = [];
  readonly #count: number[] = [];
  readonly #raster: Raster;

  constructor(raster: Raster) {
    this.#raster = raster;
  }

  /** The points from `start` to before `end`: in the range, and behind all that came before. */
  add({ x, value }: Curve, start: number, end: number): void {
    let row = start;
    while (row < end) {
      const column = columnOf(this.#raster, x[row]);
      // A block may end within a column.
      if (this.column.at(-1) !== column) this.#open(column, value[row]);
      const at = this.column.length - 1;
      const rowBefore = row;
      let min = this.min[at];
      let max = this.max[at];
      let sum = 0;
      do {
        const each = value[row];
        if (each < min) min = each;
        if (each > max) max = each;
        sum += each;
        row++;
      } while (row < end && columnOf(this.#raster, x[row]) === column);
      this.last[at] = value[row - 1];
      this.min[at] = min;
      this.max[at] = max;
      const count = row - rowBefore;
      const mean = Number.isFinite(sum) ? sum / count : meanOfHuge(value.subarray(rowBefore, row));
      this.#takeMean(at, count, mean);
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
