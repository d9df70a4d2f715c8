import type { OverviewReply } from "@lossless/protocol";
import type { Raster } from "@lossless/protocol/raster";

export type NeighboursReply = Pick<OverviewReply["series"][number], "before" | "after">;

/** A point, and what puts it in order: its x, the other axis, and when its source arrived. */
interface Placed {
  x: number;
  value: number;
  tie: number;
  arrival: number;
}

/** The points next to a range, by which its line comes in and goes out. */
export class Neighbours {
  #before: Placed | undefined;
  #after: Placed | undefined;

  /** A point before the range: the last of all stays. */
  takeBefore(point: Placed): void {
    if (this.#before === undefined || compare(this.#before, point) <= 0) this.#before = point;
  }

  /** A point behind the range: the first of all stays. */
  takeAfter(point: Placed): void {
    if (this.#after === undefined || compare(this.#after, point) > 0) this.#after = point;
  }

  /** Returns the neighbours; values at or below 0 have no place on a logarithmic axis. */
  reply({ xScale }: Raster): NeighboursReply {
    const told = (point: Placed | undefined) =>
      point === undefined || (xScale === "log" && point.x <= 0)
        ? undefined
        : { x: point.x, value: point.value };
    const [before, after] = [told(this.#before), told(this.#after)];
    return { ...(before && { before }), ...(after && { after }) };
  }
}

function compare(one: Placed, other: Placed): number {
  return one.x - other.x || one.tie - other.tie || one.arrival - other.arrival;
}
