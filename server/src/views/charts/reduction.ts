import type { OverviewReply } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import { Columns } from "./columns.ts";
import { firstNotBelow, type Curve } from "./line.ts";
import { Neighbours, type NeighboursReply } from "./neighbours.ts";

/** Points are given as they are where a column has at most so many on average. */
export const exactPointsPerColumn = 4;

type PartitionReply = OverviewReply["series"][number];
type Bounds = Pick<PartitionReply, "points" | "min" | "max">;
type Drawn = Pick<PartitionReply, "exact" | "reduced">;

/** It has a line's points in a range, block by block in axis order, as a chart needs them. */
export class Reduction {
  points = 0;
  readonly #raster: Raster;
  #min: { x: number; value: number } | undefined;
  #max: { x: number; value: number } | undefined;
  /** All points so far, as long as they are few; from then on columns take them. */
  #exact: Curve[] | undefined = [];
  readonly #columns: Columns;
  readonly #neighbours = new Neighbours();

  constructor(raster: Raster) {
    this.#raster = raster;
    this.#columns = new Columns(raster);
  }

  add({ x, value }: Curve): void {
    const start = firstNotBelow(x, this.#raster.start);
    const end = firstNotBelow(x, this.#raster.end);
    const pointAt = (at: number) => ({ x: x[at], value: value[at], tie: 0, arrival: 0 });
    if (start > 0) this.#neighbours.takeBefore(pointAt(start - 1));
    if (end < x.length) this.#neighbours.takeAfter(pointAt(end));
    if (end === start) return;
    this.points += end - start;
    this.#takeBounds({ x, value }, start, end);
    if (this.#exact === undefined) return this.#columns.add({ x, value }, start, end);
    this.#exact.push({ x: x.subarray(start, end), value: value.subarray(start, end) });
    if (this.points <= exactPointsPerColumn * this.#raster.columns) return;
    for (const part of this.#exact) this.#columns.add(part, 0, part.x.length);
    this.#exact = undefined;
  }

  bounds(): Bounds {
    const reply: Bounds = { points: this.points };
    if (this.#min !== undefined) reply.min = this.#min;
    if (this.#max !== undefined) reply.max = this.#max;
    return reply;
  }

  neighbours(): NeighboursReply {
    return this.#neighbours.reply(this.#raster);
  }

  drawn(): Drawn {
    if (this.points === 0) return {};
    if (this.#exact === undefined) {
      const { column, first, last, min, max, mean } = this.#columns;
      return { reduced: { column, first, last, min, max, mean } };
    }
    const x = this.#exact.flatMap((part) => Array.from(part.x));
    const value = this.#exact.flatMap((part) => Array.from(part.value));
    return { exact: { x, value } };
  }

  #takeBounds({ x, value }: Curve, start: number, end: number): void {
    let least = start;
    let largest = start;
    for (let at = start + 1; at < end; at++) {
      if (value[at] < value[least]) least = at;
      if (value[at] > value[largest]) largest = at;
    }
    const pointAt = (at: number) => ({ x: x[at], value: value[at] });
    if (this.#min === undefined || value[least] < this.#min.value) this.#min = pointAt(least);
    if (this.#max === undefined || value[largest] > this.#max.value) this.#max = pointAt(largest);
  }
}
