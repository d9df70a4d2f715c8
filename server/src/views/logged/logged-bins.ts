import { limits } from "@lossless/protocol/limits";
import { isObject } from "../../experiments/logged/place.ts";

/** Bins of a histogram as an annotation has them. */
export interface LoggedBins {
  bins: number[];
  values: number[];
  of?: number;
}

/** Returns the bins of a histogram, where its annotation has them and they are whole. */
export function loggedBins(histogram: unknown): LoggedBins | undefined {
  if (!isObject(histogram)) return undefined;
  const { bins, values, of } = histogram;
  if (!areNumbers(bins) || !areNumbers(values)) return undefined;
  const isWhole =
    values.length > 0 &&
    values.length <= limits.loggedBinsMax &&
    bins.length === values.length + 1 &&
    bins.every((edge, at) => at === 0 || edge >= bins[at - 1]) &&
    values.every((count) => count >= 0 && count <= Number.MAX_SAFE_INTEGER);
  if (!isWhole) return undefined;
  return { bins, values, ...(Number.isSafeInteger(of) && { of: Math.abs(of as number) }) };
}

function areNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one));
}
