import { setImmediate } from "node:timers/promises";
import { searchPoints, type PointSource } from "../../points/search.ts";
import { permute } from "../../points/sorted-points.ts";
import { firstNotBelow, sliceOf, type Extent, type Line, type PlacedPoints } from "./line.ts";
import { ascendingOrder } from "./ascending-order.ts";

/**
 * A line along the values of another series: the x of a point is the other's value at its step, of
 * several there the last one. Points in the order of x; equal ones by step, timestamp, arrival.
 */
export class PairedLine implements Line {
  /** Points at whose step the other series has none. */
  readonly unpaired: number;
  readonly #points: PlacedPoints;

  private constructor(points: PlacedPoints, unpaired: number) {
    this.#points = points;
    this.unpaired = unpaired;
  }

  static async read(sources: PointSource[], xSources: PointSource[]): Promise<PairedLine> {
    const partners = await partnersOf(xSources);
    const length = sources.reduce((sum, { count }) => sum + count, 0);
    const points = {
      x: new Float64Array(length),
      value: new Float64Array(length),
      step: new Float64Array(length),
      timestamp: new Float64Array(length),
    };
    let paired = 0;
    let at = 0;
    for await (const block of searchPoints(sources, "step")) {
      for (const [row, step] of block.step.entries()) {
        while (at < partners.count && partners.step[at] < step) at++;
        // The largest double would lie at an end that no range can have.
        if (partners.step[at] !== step || partners.value[at] === Number.MAX_VALUE) continue;
        points.x[paired] = partners.value[at];
        points.value[paired] = block.value[row];
        points.step[paired] = step;
        points.timestamp[paired] = block.timestamp[row];
        paired++;
      }
      await setImmediate();
    }
    return new PairedLine(await ascending(sliceOf(points, 0, paired)), length - paired);
  }

  bounds(): { first: number; last: number } | undefined {
    const { x } = this.#points;
    return x.length === 0 ? undefined : { first: x[0], last: x[x.length - 1] };
  }

  async firstAbove0(): Promise<{ first: number; below: number }> {
    const { x } = this.#points;
    const below = firstNotBelow(x, Number.MIN_VALUE);
    return { first: below < x.length ? x[below] : Infinity, below };
  }

  around(x: number): Extent {
    const places = this.#points.x;
    const at = firstNotBelow(places, x);
    const start = at < places.length && places[at] === x ? x : (places[at - 1] ?? -Infinity);
    return { start, end: Infinity, before: 0, after: 0 };
  }

  count(): number {
    return this.#points.x.length;
  }

  async exactCount(start: number, end: number): Promise<number> {
    return firstNotBelow(this.#points.x, end) - firstNotBelow(this.#points.x, start);
  }

  blocks(): PlacedPoints[] {
    return [this.#points];
  }

  curve(): PlacedPoints[] {
    return this.blocks();
  }
}

/** Returns the last value of each step, steps ascending. */
async function partnersOf(sources: PointSource[]) {
  const length = sources.reduce((sum, { count }) => sum + count, 0);
  const step = new Float64Array(length).fill(Infinity);
  const value = new Float64Array(length);
  let count = 0;
  for await (const block of searchPoints(sources, "step")) {
    for (const [row, each] of block.step.entries()) {
      if (count === 0 || step[count - 1] !== each) count++;
      step[count - 1] = each;
      value[count - 1] = block.value[row];
    }
    await setImmediate();
  }
  return { step, value, count };
}

async function ascending(placed: PlacedPoints): Promise<PlacedPoints> {
  const { x, ...points } = placed;
  const order = await ascendingOrder(x);
  if (order === undefined) return placed;
  return { x: Float64Array.from(order, (row) => x[row]), ...permute(points, order) };
}
