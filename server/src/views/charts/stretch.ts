import { meanOfHuge } from "./means.ts";

/** The rows of the first least and the first largest value, and the mean. */
export interface Stretch {
  least: number;
  largest: number;
  mean: number;
}

/** Summarizes the values from `start` to before `end`, at least one. */
export function stretchOf(value: Float64Array, start: number, end: number): Stretch {
  let [least, largest, sum] = [start, start, 0];
  let [min, max] = [value[start], value[start]];
  for (let row = start; row < end; row++) {
    const each = value[row];
    if (each < min) [min, least] = [each, row];
    if (each > max) [max, largest] = [each, row];
    sum += each;
  }
  const isSum = Number.isFinite(sum);
  const mean = isSum ? sum / (end - start) : meanOfHuge(value.subarray(start, end));
  return { least, largest, mean };
}
