import type { OverviewReply } from "@lossless/client";
import { countedText, countText } from "../../parts/words.ts";
import type { Partition } from "./line.ts";
import { repeatedStretches } from "./passes.ts";

/** Steps of a line with several points, as after resuming from an earlier checkpoint. */
interface Repeated {
  steps: number;
  first: number;
  last: number;
  /** Points of one step at most. */
  times: number;
}

type FirstStep = (column: number) => number;

/**
 * Describes lines that repeat steps; undefined where none is known. `firstStep` is that of a
 * column.
 */
export function repeatedText(overview: OverviewReply, firstStep: FirstStep): string | undefined {
  const { xAxis, start, end } = overview;
  if (xAxis !== "step" && xAxis !== "offset") return undefined;
  const series: readonly Partition[] = overview.series;
  const isGrouped = series.some(({ group }) => group !== undefined);
  const lines: Partition[] = series.flatMap((line) => line.group?.members ?? [line]);
  const found = lines.flatMap(({ earlier = [] }) => repeatedIn(earlier) ?? []);
  const texts = [
    ...(found.length > 0
      ? [foundText(found, lines.length) + (isGrouped ? "" : " (earlier values faint)")]
      : []),
    ...stretchesText(series, firstStep),
  ];
  if (texts.length > 0) return texts.join(", ");
  // Some columns tell only their number of points.
  const isOver = lines.some(({ reduced, points }) => reduced !== undefined && points > end - start);
  return isOver ? "more points than steps: some steps were recorded more than once" : undefined;
}

function repeatedIn(earlier: NonNullable<Partition["earlier"]>): Repeated | undefined {
  const times = new Map<number, number>();
  for (const x of earlier.flatMap((line) => line.x)) times.set(x, (times.get(x) ?? 1) + 1);
  const steps = [...times.keys()];
  if (steps.length === 0) return undefined;
  return {
    steps: steps.length,
    first: steps.reduce((least, step) => Math.min(least, step)),
    last: steps.reduce((most, step) => Math.max(most, step)),
    times: [...times.values()].reduce((most, count) => Math.max(most, count)),
  };
}

function foundText(found: readonly Repeated[], lines: number): string {
  const steps = found.reduce((most, one) => Math.max(most, one.steps), 0);
  const first = found.reduce((least, one) => Math.min(least, one.first), Infinity);
  const last = found.reduce((most, one) => Math.max(most, one.last), -Infinity);
  const isTwice = found.every(({ times }) => times === 2);
  const where = first === last ? `step ${countText(first)}` : `${countText(steps)} steps`;
  const range = first === last ? "" : ` from ${countText(first)} to ${countText(last)}`;
  const times = isTwice ? "twice" : "more than once";
  const lineCount = lines === 1 ? "" : `, in ${countedText(found.length, "line")}`;
  return `${where}${range} recorded ${times}${lineCount}`;
}

/** Columns are a few steps wide, so their ends are not exact. */
function stretchesText(series: readonly Partition[], firstStep: FirstStep): string[] {
  const stretches = repeatedStretches(series);
  if (stretches.length === 0) return [];
  const first = countText(firstStep(stretches[0].first));
  const last = countText(firstStep(stretches.at(-1)!.last + 1) - 1);
  const where = stretches.length === 1 ? "" : ` in ${countText(stretches.length)} stretches`;
  return [`steps${where} from about ${first} to ${last} recorded more than once (shaded)`];
}
