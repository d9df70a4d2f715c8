import type { OverviewReply } from "@lossless/client";
import { countedText, countText } from "../../parts/words.ts";
import type { Partition } from "./line.ts";

/** Steps with several points of a line, as after resuming from an earlier checkpoint. */
interface Repeated {
  steps: number;
  first: number;
  last: number;
  /** Points of one step at most. */
  times: number;
}

/** Describes lines that repeat steps; undefined where none is known. */
export function repeatedText({ xAxis, start, end, series }: OverviewReply): string | undefined {
  if (xAxis !== "step" && xAxis !== "offset") return undefined;
  const lines = (series as readonly Partition[]).flatMap((line) => line.group?.members ?? [line]);
  const found = lines.flatMap(({ exact }) => repeatedIn(exact?.x ?? []) ?? []);
  if (found.length > 0) return foundText(found, lines.length);
  // Only the number of points is known of columns.
  const isOver = lines.some(({ reduced, points }) => reduced !== undefined && points > end - start);
  return isOver ? "more points than steps: some steps were recorded more than once" : undefined;
}

function repeatedIn(x: readonly number[]): Repeated | undefined {
  let found: Repeated | undefined;
  for (let at = 1; at < x.length; at++) {
    if (x[at] !== x[at - 1]) continue;
    let times = 2;
    while (x[at + 1] === x[at]) [at, times] = [at + 1, times + 1];
    found ??= { steps: 0, first: x[at], last: x[at], times };
    found.steps++;
    found.last = x[at];
    found.times = Math.max(found.times, times);
  }
  return found;
}

function foundText(found: readonly Repeated[], lines: number): string {
  const steps = found.reduce((most, one) => Math.max(most, one.steps), 0);
  const first = found.reduce((least, one) => Math.min(least, one.first), Infinity);
  const last = found.reduce((most, one) => Math.max(most, one.last), -Infinity);
  const isTwice = found.every(({ times }) => times === 2);
  const where = first === last ? `step ${countText(first)}` : `${countText(steps)} steps`;
  const range = first === last ? "" : ` from ${countText(first)} to ${countText(last)}`;
  const times = isTwice ? "twice" : "more than once";
  const whose = lines === 1 ? "" : `, in ${countedText(found.length, "line")}`;
  return `${where}${range} recorded ${times}${whose}`;
}
