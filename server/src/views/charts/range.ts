import type { OverviewBody } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

export interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

/** A line that a range has to hold. */
export interface Placed {
  bounds(): { first: number; last: number } | undefined;
  firstAbove0(): Promise<number>;
}

export const endAboveStart = "`end` must be above `start`.";

type RangeBody = Pick<OverviewBody, "start" | "end" | "xAxis" | "xScale">;

/**
 * Returns the range to draw; a missing bound extends to the first or last point. A range without
 * width is one wide.
 */
export async function rangeOf(asked: RangeBody, lines: readonly Placed[]): Promise<Range> {
  const start = asked.start ?? (await startOf(asked, lines));
  if (asked.xScale === "log" && start <= 0) {
    throw new ServiceError("bad_request", "A logarithmic axis begins above 0.");
  }
  const last = lines.reduce((most, line) => Math.max(most, line.bounds()?.last ?? most), -Infinity);
  const end = asked.end ?? endBehind(last, start, asked);
  if (start < end) return { start, end };
  throw new ServiceError("bad_request", endAboveStart);
}

async function startOf({ end, xScale }: RangeBody, lines: readonly Placed[]): Promise<number> {
  let first = Infinity;
  for (const line of lines) {
    const own = xScale === "log" ? await line.firstAbove0() : (line.bounds()?.first ?? Infinity);
    first = Math.min(first, own);
  }
  if (end !== undefined && first >= end) return xScale === "log" ? end / 2 : end - unitAt(end);
  if (first !== Infinity) return first;
  return xScale === "log" ? 1 : 0;
}

/**
 * Returns the first end behind the last point: steps and milliseconds are whole; a metric's values
 * are as close as doubles are.
 */
function endBehind(last: number, start: number, { xAxis }: RangeBody): number {
  if (xAxis !== "metric" || last <= start)
    return Math.max(last, start) + unitAt(Math.max(last, start));
  return Math.min(behind(last), Number.MAX_VALUE);
}

/** The next larger double. Those of one sign lie in the order of their bits. */
export function behind(x: number): number {
  if (x === 0) return Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  bits.setBigInt64(0, bits.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

/** Returns 1, or the least number that changes a double of this size when added. */
function unitAt(x: number): number {
  return Math.max(1, Math.abs(x) * Number.EPSILON);
}
