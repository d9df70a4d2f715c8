import { searchPoints, type PointSource } from "../points/search.ts";
import { firstNotBelow, type Line, type PlacedPoints } from "./line.ts";
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
    const x = new Float64Array(length);
    const value = new Float64Array(length);
    let paired = 0;
    let at = 0;
    for await (const block of searchPoints(sources, "step")) {
      for (const [row, step] of block.step.entries()) {
        while (at < partners.count && partners.step[at] < step) at++;
        // The largest double would lie at an end that no range can have.
        if (partners.step[at] !== step || partners.value[at] === Number.MAX_VALUE) continue;
        x[paired] = partners.value[at];
        value[paired] = block.value[row];
        paired++;
      }
    }
    const points = { x: x.subarray(0, paired), value: value.subarray(0, paired) };
    return new PairedLine(await ascending(points), length - paired);
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

  count(): number {
    return this.#points.x.length;
  }

  blocks(): PlacedPoints[] {
    return [this.#points];
  }
}

/** The last value of each step, steps ascending. */
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
  }
  return { step, value, count };
}

async function ascending({ x, value }: PlacedPoints): Promise<PlacedPoints> {
  const order = await ascendingOrder(x);
  if (order === undefined) return { x, value };
  return {
    x: Float64Array.from(order, (row) => x[row]),
    value: Float64Array.from(order, (row) => value[row]),
  };
}
