import type { OverviewReply } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";
import { joinedMean } from "./means.ts";

type Partition = OverviewReply["series"][number];

/** What some points of one column come to; the first and the last with their places. */
export interface ColumnPart {
  count: number;
  mean: number;
  first: number;
  firstPlace: Place;
  last: number;
  lastPlace: Place;
  min: number;
  minX: number;
  max: number;
  maxX: number;
}

/** Points at one x go by the other axis, and then in order of arrival. */
export interface Place {
  x: number;
  tie: number;
  arrival: number;
}

/** Columns from parts of them, in any order: what they come to does not depend on it. */
export class MergedColumns {
  points = 0;
  readonly #columns: (ColumnPart | undefined)[];
  #min: { x: number; value: number } | undefined;
  #max: { x: number; value: number } | undefined;

  constructor({ columns }: Raster) {
    this.#columns = Array.from({ length: columns });
  }

  /** The part is kept. */
  take(column: number, part: ColumnPart): void {
    this.points += part.count;
    const least = this.#min;
    if (least === undefined || isAhead(least.value - part.min, part.minX, least.x)) {
      this.#min = { x: part.minX, value: part.min };
    }
    const largest = this.#max;
    if (largest === undefined || isAhead(part.max - largest.value, part.maxX, largest.x)) {
      this.#max = { x: part.maxX, value: part.max };
    }
    const found = this.#columns[column];
    if (found === undefined) this.#columns[column] = part;
    else merge(found, part);
  }

  bounds(): Pick<Partition, "points" | "min" | "max"> {
    return {
      points: this.points,
      ...(this.#min && { min: this.#min }),
      ...(this.#max && { max: this.#max }),
    };
  }

  drawn(): Pick<Partition, "reduced"> {
    const parts = this.#columns.filter((part) => part !== undefined);
    return {
      reduced: {
        column: [...this.#columns.keys()].filter((column) => this.#columns[column] !== undefined),
        first: parts.map(({ first }) => first),
        last: parts.map(({ last }) => last),
        min: parts.map(({ min }) => min),
        max: parts.map(({ max }) => max),
        mean: parts.map(({ mean }) => mean),
      },
    };
  }
}

/** Where values are equal, the first on the axis is told. */
function isAhead(lead: number, x: number, bestX: number): boolean {
  return lead > 0 || (lead === 0 && x < bestX);
}

function merge(into: ColumnPart, part: ColumnPart): void {
  if (isBefore(part.firstPlace, into.firstPlace)) {
    into.first = part.first;
    into.firstPlace = part.firstPlace;
  }
  if (isBefore(into.lastPlace, part.lastPlace)) {
    into.last = part.last;
    into.lastPlace = part.lastPlace;
  }
  into.min = Math.min(into.min, part.min);
  into.max = Math.max(into.max, part.max);
  into.mean = joinedMean(into, part);
  into.count += part.count;
}

function isBefore(left: Place, right: Place): boolean {
  if (left.x !== right.x) return left.x < right.x;
  return left.tie === right.tie ? left.arrival < right.arrival : left.tie < right.tie;
}
