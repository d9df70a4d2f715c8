import { columnOf, type Raster } from "@lossless/protocol/raster";
import type { Axis } from "../points/sorted-points.ts";
import type { Points } from "../points/tail.ts";

/**
 * What columns of pixels need of a partition's points: first, last, least and largest of each
 * column, gathered from blocks in the order of the axis. A line through these covers the
 * pixels that a line through every point covers.
 */
export class Columns {
  readonly column: number[] = [];
  readonly count: number[] = [];
  readonly first: number[] = [];
  readonly last: number[] = [];
  readonly min: number[] = [];
  readonly max: number[] = [];
  readonly #raster: Raster;

  constructor(raster: Raster) {
    this.#raster = raster;
  }

  /** The points from `start` to before `end`: in the range, and behind all that came before. */
  add(points: Points, axis: Axis, start: number, end: number): void {
    const x = points[axis];
    const { value } = points;
    let row = start;
    while (row < end) {
      const column = columnOf(this.#raster, x[row]);
      // A block may end within a column.
      if (this.column.at(-1) !== column) this.#open(column, value[row]);
      const at = this.column.length - 1;
      const rowBefore = row;
      let min = this.min[at];
      let max = this.max[at];
      do {
        const each = value[row];
        if (each < min) min = each;
        if (each > max) max = each;
        row++;
      } while (row < end && columnOf(this.#raster, x[row]) === column);
      this.count[at] += row - rowBefore;
      this.last[at] = value[row - 1];
      this.min[at] = min;
      this.max[at] = max;
    }
  }

  #open(column: number, first: number): void {
    this.column.push(column);
    this.count.push(0);
    this.first.push(first);
    this.last.push(first);
    this.min.push(first);
    this.max.push(first);
  }
}
