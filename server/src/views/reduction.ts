import type { OverviewReply } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import { slice, type Axis } from "../points/sorted-points.ts";
import type { Points } from "../points/tail.ts";
import { Columns } from "./columns.ts";

/** Points are given as they are where a column has at most so many on average. */
const exactPointsPerColumn = 4;

type PartitionReply = Omit<
  OverviewReply["series"][number],
  "experimentId" | "seriesName" | "metadata"
>;

/** It has a partition's points in a range, block by block in axis order, as a chart needs them. */
export class Reduction {
  points = 0;
  readonly #raster: Raster;
  readonly #axis: Axis;
  #min: { x: number; value: number } | undefined;
  #max: { x: number; value: number } | undefined;
  /** All points so far, as long as they are few; from then on columns take them. */
  #exact: Points[] | undefined = [];
  readonly #columns: Columns;

  constructor(raster: Raster, axis: Axis) {
    this.#raster = raster;
    this.#axis = axis;
    this.#columns = new Columns(raster);
  }

  add(block: Points): void {
    const start = firstNotBelow(block[this.#axis], this.#raster.start);
    const end = firstNotBelow(block[this.#axis], this.#raster.end);
    if (end === start) return;
    this.points += end - start;
    this.#takeBounds(block, start, end);
    if (this.#exact === undefined) return this.#columns.add(block, this.#axis, start, end);
    this.#exact.push(slice(block, start, end));
    if (this.points <= exactPointsPerColumn * this.#raster.columns) return;
    for (const part of this.#exact) this.#columns.add(part, this.#axis, 0, part.step.length);
    this.#exact = undefined;
  }

  reply(): PartitionReply {
    const reply: PartitionReply = { points: this.points };
    if (this.#min === undefined || this.#max === undefined) return reply;
    reply.min = this.#min;
    reply.max = this.#max;
    if (this.#exact === undefined) {
      const { column, count, first, last, min, max } = this.#columns;
      reply.reduced = { column, count, first, last, min, max };
    } else {
      const x = this.#exact.flatMap((part) => Array.from(part[this.#axis]));
      const value = this.#exact.flatMap((part) => Array.from(part.value));
      reply.exact = { x, value };
    }
    return reply;
  }

  #takeBounds(block: Points, start: number, end: number): void {
    const { value } = block;
    let least = start;
    let largest = start;
    for (let at = start + 1; at < end; at++) {
      if (value[at] < value[least]) least = at;
      if (value[at] > value[largest]) largest = at;
    }
    const pointAt = (at: number) => ({ x: block[this.#axis][at], value: value[at] });
    if (this.#min === undefined || value[least] < this.#min.value) this.#min = pointAt(least);
    if (this.#max === undefined || value[largest] > this.#max.value) this.#max = pointAt(largest);
  }
}

function firstNotBelow(sorted: Float64Array, bound: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
