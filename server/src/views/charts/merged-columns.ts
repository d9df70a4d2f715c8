import type { OverviewReply } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import { joinedMean } from "./means.ts";
import { Neighbours, type NeighboursReply } from "./neighbours.ts";

type Partition = OverviewReply["series"][number];

/**
 * The summary of some points of one column. Points at one x are ordered by the other axis, and then
 * by arrival: so the first and the last are kept with all three.
 */
export interface ColumnPart {
  arrival: number;
  count: number;
  mean: number;
  first: number;
  firstX: number;
  firstTie: number;
  last: number;
  lastX: number;
  lastTie: number;
  min: number;
  minX: number;
  max: number;
  maxX: number;
}

/** Merges columns from parts of them; the order of the parts makes no difference. */
export class MergedColumns {
  points = 0;
  readonly outside = new Neighbours();
  readonly #raster: Raster;
  /** Points of each column; 0 for an empty one. */
  readonly #count: Float64Array;
  readonly #mean: Float64Array;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #first: End;
  readonly #last: End;
  #least: { x: number; value: number } | undefined;
  #largest: { x: number; value: number } | undefined;

  constructor(raster: Raster) {
    const { columns } = raster;
    this.#raster = raster;
    this.#count = new Float64Array(columns);
    this.#mean = new Float64Array(columns);
    this.#min = new Float64Array(columns);
    this.#max = new Float64Array(columns);
    this.#first = new End(columns);
    this.#last = new End(columns);
  }

  /** The part is copied: an object kept for each would cost more than all the rest. */
  take(column: number, part: ColumnPart): void {
    this.points += part.count;
    const least = this.#least;
    if (least === undefined || isAhead(least.value - part.min, part.minX, least.x)) {
      this.#least = { x: part.minX, value: part.min };
    }
    const largest = this.#largest;
    if (largest === undefined || isAhead(part.max - largest.value, part.maxX, largest.x)) {
      this.#largest = { x: part.maxX, value: part.max };
    }
    const { arrival, first, firstX, firstTie, last, lastX, lastTie } = part;
    if (this.#count[column] === 0) {
      this.#count[column] = part.count;
      this.#mean[column] = part.mean;
      this.#min[column] = part.min;
      this.#max[column] = part.max;
      this.#first.set(column, first, firstX, firstTie, arrival);
      this.#last.set(column, last, lastX, lastTie, arrival);
      return;
    }
    if (this.#first.compare(column, firstX, firstTie, arrival) > 0) {
      this.#first.set(column, first, firstX, firstTie, arrival);
    }
    if (this.#last.compare(column, lastX, lastTie, arrival) < 0) {
      this.#last.set(column, last, lastX, lastTie, arrival);
    }
    this.#merge(column, part);
  }

  bounds(): Pick<Partition, "points" | "min" | "max"> {
    return {
      points: this.points,
      ...(this.#least && { min: this.#least }),
      ...(this.#largest && { max: this.#largest }),
    };
  }

  neighbours(): NeighboursReply {
    return this.outside.reply(this.#raster);
  }

  /**
   * Columns of steps that were gone over again: with more points than steps, or, of several columns
   * in a row, recorded after the column behind them. A single one of these is a clock set back.
   */
  repeated(): number[] {
    const filled = this.#filled();
    const [first, last] = [this.#first, this.#last];
    const isBack = filled.map(
      (column, at) => at + 1 < filled.length && last.tie[column] > first.tie[filled[at + 1]],
    );
    return filled.filter((column, at) => {
      if (this.#count[column] > last.x[column] - first.x[column] + 1) return true;
      return isBack[at] && (isBack[at - 1] || isBack[at + 1]);
    });
  }

  drawn(): Pick<Partition, "reduced"> {
    const column = this.#filled();
    const taken = (numbers: Float64Array) => column.map((at) => numbers[at]);
    return {
      reduced: {
        column,
        first: taken(this.#first.value),
        last: taken(this.#last.value),
        min: taken(this.#min),
        max: taken(this.#max),
        mean: taken(this.#mean),
      },
    };
  }

  #filled(): number[] {
    const columns: number[] = [];
    for (let at = 0; at < this.#count.length; at++) if (this.#count[at] > 0) columns.push(at);
    return columns;
  }

  #merge(column: number, part: ColumnPart): void {
    const min = Math.min(this.#min[column], part.min);
    const max = Math.max(this.#max[column], part.max);
    const count = this.#count[column];
    this.#mean[column] = joinedMean(count, this.#mean[column], part.count, part.mean, min, max);
    this.#count[column] = count + part.count;
    this.#min[column] = min;
    this.#max[column] = max;
  }
}

/** The first or the last point of each column. */
class End {
  readonly value: Float64Array;
  readonly x: Float64Array;
  readonly tie: Float64Array;
  readonly #arrival: Float64Array;

  constructor(columns: number) {
    this.value = new Float64Array(columns);
    this.x = new Float64Array(columns);
    this.tie = new Float64Array(columns);
    this.#arrival = new Float64Array(columns);
  }

  set(column: number, value: number, x: number, tie: number, arrival: number): void {
    this.value[column] = value;
    this.x[column] = x;
    this.tie[column] = tie;
    this.#arrival[column] = arrival;
  }

  /** Compares the point of a column with a place; below 0: the column's lies before it. */
  compare(column: number, x: number, tie: number, arrival: number): number {
    if (this.x[column] !== x) return this.x[column] - x;
    return this.tie[column] === tie ? this.#arrival[column] - arrival : this.tie[column] - tie;
  }
}

/** Whether a value precedes the best so far; of equal values the first on the axis wins. */
function isAhead(lead: number, x: number, bestX: number): boolean {
  return lead > 0 || (lead === 0 && x < bestX);
}
