import type { Smoothing } from "@lossless/protocol";
import type { Curve } from "./line.ts";

/** Smooths a line, which arrives block by block in the order of its axis. */
export interface Smoother {
  /** Points before and behind a range that influence those in it. */
  readonly before: number;
  readonly after: number;
  /** The place from which on points influence one at x; absent: it is counted in points. */
  from?(x: number): number;
  /** Cost of one point, in multiplications. */
  readonly products: number;
  /** Returns the smoothed points that are known after this block. */
  next(block: Curve): Curve;
  /** Returns the last points, which waited for those that might follow. */
  end(): Curve;
}

/** A smoothing on a given axis: its unit is known. */
export type PlacedSmoothing =
  | Exclude<Smoothing, { kind: "x" }>
  | { kind: "x"; weight: number; unit: number; isLog: boolean };

export function smootherOf(smoothing: PlacedSmoothing): Smoother {
  if (smoothing.kind === "x") return new DistanceSmoother(smoothing);
  if (smoothing.kind === "ema") return new ExponentialSmoother(smoothing.weight);
  return new GaussianSmoother(smoothing.points);
}

/**
 * Least weight that counts, as a part of a curve's height: smaller ones are lost in the precision
 * of a double.
 */
const leastWeight = 2 ** -60;

/**
 * Each point is the mean of all points up to it, the n-th before it with weight^n: that is what
 * TensorBoard draws, and calls debiased.
 */
class ExponentialSmoother implements Smoother {
  readonly before: number;
  readonly after = 0;
  readonly products = 1;
  readonly #weight: number;
  #sum = 0;
  /** weight^n after n points. */
  #rest = 1;
  #min = Infinity;
  #max = -Infinity;
  readonly #room = new Room();

  constructor(weight: number) {
    this.#weight = weight;
    this.before = weight === 0 ? 0 : Math.ceil(Math.log(leastWeight) / Math.log(weight));
  }

  next({ x, value }: Curve): Curve {
    const [weight, own] = [this.#weight, 1 - this.#weight];
    const smoothed = this.#room.for(value.length);
    let [sum, rest, min, max] = [this.#sum, this.#rest, this.#min, this.#max];
    for (let at = 0; at < value.length; at++) {
      const each = value[at];
      if (each < min) min = each;
      if (each > max) max = each;
      sum = sum * weight + each * own;
      // The same as `finite`, inlined: every point passes here.
      if (sum > Number.MAX_VALUE) sum = Number.MAX_VALUE;
      if (sum < -Number.MAX_VALUE) sum = -Number.MAX_VALUE;
      // A weight that has become negligible beside 1 needs no division.
      const mean = rest < Number.EPSILON / 4 ? sum : sum / (1 - (rest *= weight));
      // No mean lies outside of its values; a rounded one might.
      smoothed[at] = mean < min ? min : mean > max ? max : mean;
    }
    [this.#sum, this.#rest, this.#min, this.#max] = [sum, rest, min, max];
    return { x, value: smoothed };
  }

  end(): Curve {
    return noPoints;
  }
}

/** Memory for smoothed points, which are valid until the next call. */
class Room {
  #numbers = new Float64Array();

  for(count: number): Float64Array {
    if (this.#numbers.length < count) this.#numbers = new Float64Array(count);
    return this.#numbers.subarray(0, count);
  }
}

/** Weight of a point left out; 2^25 of them, as many as are read, weigh less than `leastWeight`. */
const leastOfMany = leastWeight / 2 ** 25;

/**
 * Each point is the mean of all points up to it, one at a distance of n units with weight^n. On a
 * logarithmic axis the distance is that of the logarithms, and points at or below 0 are left out.
 */
class DistanceSmoother implements Smoother {
  readonly before = 0;
  readonly after = 0;
  readonly products = 1;
  /** A point at distance d has the weight exp(-d * rate). */
  readonly #rate: number;
  readonly #isLog: boolean;
  /** The last place, the mean there, and the sum of its weights. */
  #place = NaN;
  #mean = 0;
  #weights = 0;
  #min = Infinity;
  #max = -Infinity;
  readonly #room = new Room();

  constructor({ weight, unit, isLog }: Extract<PlacedSmoothing, { kind: "x" }>) {
    this.#rate = -Math.log(weight) / unit;
    this.#isLog = isLog;
  }

  from(x: number): number {
    const reach = -Math.log(leastOfMany) / this.#rate;
    if (!this.#isLog) return x - reach;
    return x > 0 ? x * Math.exp(-reach) : x;
  }

  next({ x, value }: Curve): Curve {
    const smoothed = this.#room.for(value.length);
    let [place, mean, weights, min, max] = [
      this.#place,
      this.#mean,
      this.#weights,
      this.#min,
      this.#max,
    ];
    // Most points are as far from each other as the ones before.
    let [distance, factor] = [0, 1];
    for (let at = 0; at < value.length; at++) {
      const each = value[at];
      const here = this.#isLog ? Math.log(x[at]) : x[at];
      // There is no place on a logarithmic axis.
      if (!(here > -Infinity)) {
        smoothed[at] = each;
        continue;
      }
      if (here - place !== distance) {
        distance = here - place;
        factor = this.#weightAt(distance);
      }
      place = here;
      if (each < min) min = each;
      if (each > max) max = each;
      weights = weights * factor + 1;
      mean = meanWith(mean, each, weights);
      // No mean lies outside of its values; a rounded one might.
      if (mean < min) mean = min;
      if (mean > max) mean = max;
      smoothed[at] = mean;
    }
    [this.#place, this.#mean, this.#weights, this.#min, this.#max] = [
      place,
      mean,
      weights,
      min,
      max,
    ];
    return { x, value: smoothed };
  }

  /** The weight of a point at a distance; before the first point, which has none, any. */
  #weightAt(distance: number): number {
    return distance > 0 ? Math.exp(-distance * this.#rate) : 1;
  }

  end(): Curve {
    return noPoints;
  }
}

/** The mean with one more value, of weight 1 in a sum of weights that includes it. */
function meanWith(mean: number, value: number, weights: number): number {
  const difference = value - mean;
  if (Number.isFinite(difference)) return mean + difference / weights;
  // They are further apart than doubles reach.
  return mean - mean / weights + value / weights;
}

/**
 * Each point is the mean of its neighbours up to three standard deviations away, weighted by
 * exp(-n² / 2σ²); at the ends of a line, of those that there are.
 */
class GaussianSmoother implements Smoother {
  readonly before: number;
  readonly after: number;
  readonly products: number;
  /** The point's own weight, that of its neighbours, of those next to them, and so on. */
  readonly #weights: Float64Array;
  /** Points that are still neighbours of later ones; the first `#done` of them are smoothed. */
  #x = new Float64Array();
  #value = new Float64Array();
  #done = 0;

  constructor(deviation: number) {
    const reach = Math.floor(3 * deviation);
    this.before = reach;
    this.after = reach;
    this.products = 2 * reach + 1;
    this.#weights = Float64Array.from({ length: reach + 1 }, (_, n) =>
      Math.exp(-(n * n) / (2 * deviation * deviation)),
    );
  }

  next({ x, value }: Curve): Curve {
    const left = Math.max(0, this.#done - this.before);
    this.#x = joined(this.#x.subarray(left), x);
    this.#value = joined(this.#value.subarray(left), value);
    this.#done -= left;
    return this.#smoothTo(this.#x.length - this.after);
  }

  end(): Curve {
    return this.#smoothTo(this.#x.length);
  }

  #smoothTo(end: number): Curve {
    const start = this.#done;
    if (end <= start) return noPoints;
    const value = new Float64Array(end - start);
    for (let at = start; at < end; at++) value[at - start] = this.#mean(at);
    this.#done = end;
    return { x: this.#x.subarray(start, end), value };
  }

  /**
   * Returns the mean by differences to the point itself: so a constant stays one, to the last bit.
   */
  #mean(at: number): number {
    const values = this.#value;
    const weights = this.#weights;
    const middle = values[at];
    const before = Math.min(this.before, at);
    const after = Math.min(this.after, values.length - 1 - at);
    let sum = 0;
    let total = weights[0];
    for (let n = 1; n <= before; n++) {
      sum += weights[n] * (values[at - n] - middle);
      total += weights[n];
    }
    for (let n = 1; n <= after; n++) {
      sum += weights[n] * (values[at + n] - middle);
      total += weights[n];
    }
    const mean = middle + sum / total;
    return Number.isFinite(mean) ? mean : this.#meanOfHuge(at - before, at + after, at, total);
  }

  /** Returns the mean of values that are further apart than doubles reach. */
  #meanOfHuge(first: number, last: number, at: number, total: number): number {
    let mean = 0;
    for (let row = first; row <= last; row++) {
      mean += (this.#weights[Math.abs(row - at)] / total) * this.#value[row];
    }
    return finite(mean);
  }
}

/** Bounds a mean: rounding takes a mean of the largest doubles beyond them. */
function finite(mean: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, mean));
}

const noPoints: Curve = { x: new Float64Array(), value: new Float64Array() };

function joined(left: Float64Array, right: Float64Array): Float64Array<ArrayBuffer> {
  const both = new Float64Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
