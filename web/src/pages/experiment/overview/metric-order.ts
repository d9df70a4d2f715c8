import type { ComparedSummary, DifferenceReply } from "@lossless/protocol";
import { sectionsOf } from "../sections.ts";

export interface MetricLine {
  name: string;
  /** Null: not summarized yet. */
  summary: ComparedSummary | null;
}

/** Values of a metric that have a column, which may order the lines. */
export const stats = ["last", "min", "max"] as const;
export type Stat = (typeof stats)[number];

/** Undefined: as the charts are ordered. */
export type MetricOrder = { stat: Stat; isDescending: boolean } | undefined;

/** Reads an order as it is in an address: `min`, `-last`. */
export function orderOf(text: string | undefined): MetricOrder {
  const stat = stats.find((one) => one === text?.replace(/^-/, ""));
  return stat && { stat, isDescending: text!.startsWith("-") };
}

/** The order after a click on the head of a column: by it, the other way round, as charts. */
export function orderAfter(order: MetricOrder, stat: Stat): string | undefined {
  if (order?.stat !== stat) return stat;
  return order.isDescending ? undefined : `-${stat}`;
}

/** The lines whose names match, as a search for charts finds them. */
export function metricLines(
  metrics: DifferenceReply["metrics"],
  pattern: string,
  order: MetricOrder,
): MetricLine[] {
  const byName = new Map(metrics.map(({ name, summaries }) => [name, summaries[0] ?? null]));
  const names = sectionsOf([...byName.keys()], pattern).flatMap(({ series }) => series);
  const lines = names.map((name) => ({ name, summary: byName.get(name)! }));
  if (order === undefined) return lines;
  const keys = new Map(lines.map((line) => [line, keyOf(line.summary?.[order.stat])]));
  const way = order.isDescending ? -1 : 1;
  return lines.toSorted((one, other) => {
    const [left, right] = [keys.get(one)!, keys.get(other)!];
    return left.rank - right.rank || way * (left.value - right.value);
  });
}

/** Infinities stand behind all numbers, NaN behind them, and missing values last, either way. */
function keyOf(value: number | string | null | undefined): { rank: number; value: number } {
  if (value === null || value === undefined) return { rank: 3, value: 0 };
  const number = Number(value);
  if (Number.isNaN(number)) return { rank: 2, value: 0 };
  return Number.isFinite(number)
    ? { rank: 0, value: number }
    : { rank: 1, value: Math.sign(number) };
}
