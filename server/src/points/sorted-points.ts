import type { Points } from "./tail.ts";

export type Axis = "step" | "timestamp";

/** A point's place on an axis: the axis' column first, the other as the first tie-break. */
export type Key = readonly [number, number];

export function compareKeys(left: Key, right: Key): number {
  if (left[0] !== right[0]) return left[0] < right[0] ? -1 : 1;
  if (left[1] !== right[1]) return left[1] < right[1] ? -1 : 1;
  return 0;
}

export function keyAt(points: Points, axis: Axis, index: number): Key {
  const step = points.step[index];
  const timestamp = points.timestamp[index];
  return axis === "step" ? [step, timestamp] : [timestamp, step];
}

/**
 * Points in the order of the axis: step ties by timestamp then arrival, timestamp ties by step then
 * arrival (M52).
 */
export function sortPoints(points: Points, axis: Axis): Points {
  const first = axis === "step" ? points.step : points.timestamp;
  const second = axis === "step" ? points.timestamp : points.step;
  return isSorted(first, second) ? points : permute(points, sortOrder(first, second));
}

/** Row numbers go by two columns. The sort is stable: equal rows stay in order of arrival. */
export function sortOrder(first: Float64Array, second: Float64Array): Uint32Array {
  const order = new Uint32Array(first.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  return order.sort((left, right) => first[left] - first[right] || second[left] - second[right]);
}

export function isSorted(first: Float64Array, second: Float64Array): boolean {
  for (let index = 1; index < first.length; index++) {
    const step = first[index] - first[index - 1];
    if (step < 0 || (step === 0 && second[index] < second[index - 1])) return false;
  }
  return true;
}

export function permute(points: Points, order: Uint32Array): Points {
  return {
    step: pick(points.step, order),
    timestamp: pick(points.timestamp, order),
    value: pick(points.value, order),
  };
}

export function concatenate(parts: Points[]): Points {
  if (parts.length === 1) return parts[0];
  const count = parts.reduce((sum, part) => sum + part.step.length, 0);
  const whole = {
    step: new Float64Array(count),
    timestamp: new Float64Array(count),
    value: new Float64Array(count),
  };
  let at = 0;
  for (const part of parts) {
    whole.step.set(part.step, at);
    whole.timestamp.set(part.timestamp, at);
    whole.value.set(part.value, at);
    at += part.step.length;
  }
  return whole;
}

export function slice(points: Points, start: number, end: number): Points {
  return {
    step: points.step.subarray(start, end),
    timestamp: points.timestamp.subarray(start, end),
    value: points.value.subarray(start, end),
  };
}

/** Returns the points whose key is wanted, in their order; a view where they are adjacent. */
export function keep(points: Points, axis: Axis, wanted: (key: Key) => boolean): Points {
  const chosen = new Uint32Array(points.step.length);
  let count = 0;
  for (let index = 0; index < points.step.length; index++) {
    if (wanted(keyAt(points, axis, index))) chosen[count++] = index;
  }
  if (count === 0) return slice(points, 0, 0);
  const [first, last] = [chosen[0], chosen[count - 1]];
  if (last - first + 1 === count) return slice(points, first, last + 1);
  return permute(points, chosen.subarray(0, count));
}

function pick(column: Float64Array, order: Uint32Array): Float64Array {
  const picked = new Float64Array(order.length);
  for (let index = 0; index < order.length; index++) picked[index] = column[order[index]];
  return picked;
}
