import type { OverviewReply } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import { Columns } from "./columns.ts";
import { firstNotBelow, type Curve } from "./line.ts";
import { Neighbours, type NeighboursReply } from "./neighbours.ts";

/** Points per column, on average, up to which points are given as they are. */
export const exactPointsPerColumn = 4;

type PartitionReply = OverviewReply["series"][number];
type Bounds = Pick<PartitionReply, "points" | "min" | "max">;
type Drawn = Pick<PartitionReply, "exact" | "reduced">;

/** Reduces a line's points in a range to those that a chart needs, block by block in axis order. */
export class Reduction {
  points = 0;
  readonly #raster: Raster;
  readonly #tellsRepeated: boolean;
  /** All points so far, as long as they are few; from then on columns take them. */
  #exact: Curve[] | undefined = [];
  #columns: Columns;
  readonly #neighbours = new Neighbours();

  /** `tellsRepeated`: whether `repeated` is known. */
  constructor(raster: Raster, tellsRepeated = false) {
    this.#raster = raster;
    this.#tellsRepeated = tellsRepeated;
    this.#columns = new Columns(raster, tellsRepeated);
  }

  add({ x, value }: Curve): void {
    const start = firstNotBelow(x, this.#raster.start);
    const end = firstNotBelow(x, this.#raster.end);
    const pointAt = (at: number) => ({ x: x[at], value: value[at], tie: 0, arrival: 0 });
    if (start > 0) this.#neighbours.takeBefore(pointAt(start - 1));
    if (end < x.length) this.#neighbours.takeAfter(pointAt(end));
    if (end === start) return;
    this.points += end - start;
    if (this.#exact === undefined) return this.#columns.add({ x, value }, start, end);
    // A block is valid until the next one comes.
    this.#exact.push({ x: x.slice(start, end), value: value.slice(start, end) });
    if (this.points <= exactPointsPerColumn * this.#raster.columns) return;
    this.#columns = this.#columnsOf(this.#exact);
    this.#exact = undefined;
  }

  bounds(): Bounds {
    if (this.points === 0) return { points: 0 };
    const { least, largest } = this.#exact ? this.#columnsOf(this.#exact) : this.#columns;
    return { points: this.points, ...(least && { min: least }), ...(largest && { max: largest }) };
  }

  neighbours(): NeighboursReply {
    return this.#neighbours.reply(this.#raster);
  }

  /** Whether the points are given as they are. */
  get isExact(): boolean {
    return this.#exact !== undefined;
  }

  /** Columns with several points at one x. */
  repeated(): readonly number[] {
    return (this.#exact ? this.#columnsOf(this.#exact) : this.#columns).repeated;
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

  /** The points themselves where they are few, without a copy of most. */
  exactCurve(): Curve | undefined {
    if (this.#exact === undefined || this.#exact.length < 2) return this.#exact?.[0];
    const curve = { x: new Float64Array(this.points), value: new Float64Array(this.points) };
    let end = 0;
    for (const { x, value } of this.#exact) {
      curve.x.set(x, end);
      curve.value.set(value, end);
      end += x.length;
    }
    return curve;
  }

  #columnsOf(blocks: readonly Curve[]): Columns {
    const columns = new Columns(this.#raster, this.#tellsRepeated);
    for (const block of blocks) columns.add(block, 0, block.x.length);
    return columns;
  }
}
