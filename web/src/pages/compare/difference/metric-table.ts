import type { ComparedMetric, ComparedSummary, DifferenceReply } from "@lossless/protocol";
import { type Direction, usualDirection } from "../../../parts/directions.ts";
import { differenceMeasure, unitOf } from "../../../parts/units.ts";
import { countText } from "../../../parts/words.ts";
import { measuredText } from "../../experiments/cell-text.ts";
import type { Column } from "./column.ts";
import type { ComparedStat, MetricOrder, MetricView } from "./metric-view.ts";

export interface MetricCell {
  /** Undefined: no points, or none counted yet. */
  text: string | undefined;
  exact: string;
  /** Difference from the reference: `+0.0018`. */
  difference: string | undefined;
  /** Step at which the least or the largest value was reached. */
  at: string | undefined;
  /** Number of non-finite values. */
  nonfinite: number;
  isBest: boolean;
}

export interface MetricRow {
  metric: ComparedMetric;
  stat: ComparedStat;
  direction: Direction;
  /** Computed on access: of thousands of rows few are laid out. */
  readonly cells: MetricCell[];
}

export function metricRows(
  { metrics }: DifferenceReply,
  columns: readonly Column[],
  { stats, directions }: MetricView,
): MetricRow[] {
  return metrics.flatMap((metric) => {
    const chosen = directions.get(metric.name);
    return stats.map((stat) => ({
      metric,
      stat,
      direction: chosen ?? usualDirection(metric.name, stat),
      get cells() {
        return cellsOf(metric, columns, stat, this.direction);
      },
    }));
  });
}

function cellsOf(
  { name, summaries }: ComparedMetric,
  columns: readonly Column[],
  stat: ComparedStat,
  direction: Direction,
): MetricCell[] {
  const values = columns.map(({ at }) => numberOf(summaries[at], stat));
  const reference = values[columns.findIndex(({ isReference }) => isReference)];
  const known = values.filter(
    (value): value is number => value !== undefined && Number.isFinite(value),
  );
  const best = direction === "least" ? Math.min(...known) : Math.max(...known);
  return columns.map(({ at, isReference }, place) => {
    const value = values[place];
    const summary = summaries[at];
    if (value === undefined || summary == null) return nothing;
    return {
      text: Number.isFinite(value) ? measuredText(value, name) : wordOf(value),
      exact: String(value),
      difference: isReference ? undefined : differenceOf(name, value, reference),
      nonfinite: summary.nonfinite ?? 0,
      at: stepText(summary, stat),
      // A single value is not best, nor are equal ones.
      isBest: direction !== "none" && value === best && known.some((other) => other !== best),
    };
  });
}

const nothing: MetricCell = {
  text: undefined,
  exact: "",
  difference: undefined,
  at: undefined,
  nonfinite: 0,
  isBest: false,
};

/** The statistic of a summary; undefined: none. Non-finite values are words. */
function numberOf(
  summary: ComparedSummary | null | undefined,
  stat: ComparedStat,
): number | undefined {
  const value = summary?.[stat];
  return value == null ? undefined : Number(value);
}

function wordOf(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
}

function differenceOf(
  name: string,
  value: number,
  reference: number | undefined,
): string | undefined {
  const difference = reference === undefined ? NaN : value - reference;
  return Number.isFinite(difference) ? differenceMeasure(difference, unitOf(name)) : undefined;
}

function stepText(summary: ComparedSummary, stat: ComparedStat): string | undefined {
  if (stat !== "min" && stat !== "max") return undefined;
  const step = stat === "min" ? summary.minStep : summary.maxStep;
  return step === null ? undefined : `step ${countText(step)}`;
}

/** Values by which experiments are ordered, smallest first; missing ones come last. */
export function orderOf({ metrics }: DifferenceReply, order: MetricOrder | undefined) {
  if (order === undefined) return undefined;
  const metric = metrics.find(({ name }) => name === order.name);
  return (at: number) => {
    const value = numberOf(metric?.summaries[at], order.stat);
    if (value !== undefined && !Number.isFinite(value)) return Infinity;
    return value !== undefined && order.descending ? -value : value;
  };
}

/** Every number with all its digits, and the steps of the least and the largest values. */
export function metricCsv(
  reply: DifferenceReply,
  columns: readonly Column[],
  stats: readonly ComparedStat[],
): (string | number | null)[][] {
  const reference = columns.find(({ isReference }) => isReference);
  const others = columns.filter(({ isReference }) => !isReference);
  const heads = [
    ...columns.map(({ title }) => title),
    ...(reference ? others.map(({ title }) => `${title} less ${reference.title}`) : []),
  ];
  const rows = reply.metrics.flatMap(({ name, summaries }) =>
    stats.flatMap((stat) => {
      const value = ({ at }: Column) => summaries[at]?.[stat] ?? null;
      const less = (column: Column) => {
        const [own, compared] = [value(column), reference ? value(reference) : null];
        return typeof own === "number" && typeof compared === "number" ? own - compared : null;
      };
      const row = [name, stat, ...columns.map(value), ...(reference ? others.map(less) : [])];
      if (stat !== "min" && stat !== "max") return [row];
      const step = stat === "min" ? "minStep" : "maxStep";
      const steps = columns.map(({ at }) => summaries[at]?.[step] ?? null);
      return [row, [name, `${stat} step`, ...steps, ...(reference ? others.map(() => null) : [])]];
    }),
  );
  return [["metric", "statistic", ...heads], ...rows];
}
