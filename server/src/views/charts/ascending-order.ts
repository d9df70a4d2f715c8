import { setImmediate } from "node:timers/promises";

/**
 * The order in which numbers ascend, equal ones as they came; undefined: they do already. It merges
 * the runs that it finds, so what nearly ascends costs little, and millions of numbers leave the
 * event loop free between the passes.
 */
export async function ascendingOrder(numbers: Float64Array): Promise<Uint32Array | undefined> {
  let runs = runsOf(numbers);
  if (runs.length <= 2) return undefined;
  let order = Uint32Array.from(numbers.keys());
  let merged = new Uint32Array(numbers.length);
  while (runs.length > 2) {
    const next = [0];
    for (let run = 0; run + 1 < runs.length; run += 2) {
      const end = runs[Math.min(run + 2, runs.length - 1)];
      merge(numbers, order, merged, runs[run], runs[run + 1], end);
      next.push(end);
    }
    runs = next;
    [order, merged] = [merged, order];
    await setImmediate();
  }
  return order;
}

/** Returns where ascending runs begin, and the end of the last. */
function runsOf(numbers: Float64Array): number[] {
  const runs = [0];
  for (let at = 1; at < numbers.length; at++) if (numbers[at] < numbers[at - 1]) runs.push(at);
  runs.push(numbers.length);
  return runs;
}

/** Two runs that follow each other become one; the second may be empty. */
function merge(
  numbers: Float64Array,
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  end: number,
): void {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const isLeft = right >= end || (left < middle && numbers[from[left]] <= numbers[from[right]]);
    to[at] = isLeft ? from[left++] : from[right++];
  }
}
