import type { ComparedMetric, ComparedSummary, DifferenceReply } from "@lossless/protocol";
import { countText, valueText, wholeDigits } from "../../../parts/words.ts";
import { measuredText } from "../../experiments/cell-text.ts";
import type { Column } from "./column.ts";
import type { ComparedStat, Direction, MetricOrder, MetricView } from "./metric-view.ts";

export interface MetricCell {
  /** Undefined: it has no point of it, or none that is counted yet. */
  text: string | undefined;
  exact: string;
  /** To the reference: `+0.0018`. */
  difference: string | undefined;
  /** Where the value was reached, of the least and the largest one. */
  at: string | undefined;
  /** How many of its values are not finite. */
  nonfinite: number;
  isBest: boolean;
}

export interface MetricRow {
  metric: ComparedMetric;
  stat: ComparedStat;
  direction: Direction;
  /** They are made when they are asked for: of thousands of rows few are laid out. */
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

/**
 * The less the better, where the name says so; of others nobody knows it. The largest loss on the
 * way is nobody's achievement, however small it is.
 */
export function usualDirection(name: string, stat?: ComparedStat): Direction {
  if (stat === "max") return "none";
  const isWord = /(?:^|[^a-z])(?:loss|losses|error|err)(?:$|[^a-z])/i.test(name);
  return isWord || /[a-z](?:Loss|Error)(?:$|[^a-z])/.test(name) ? "least" : "none";
}

function cellsOf(
  { summaries }: ComparedMetric,
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
      text: Number.isFinite(value) ? measuredText(value) : wordOf(value),
      exact: String(value),
      difference: isReference ? undefined : differenceOf(value, reference),
      nonfinite: summary.nonfinite ?? 0,
      at: stepText(summary, stat),
      // One alone is no better than others, and of equal ones none is.
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

/** Undefined: it has none. What is not finite is told as a word. */
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

function differenceOf(value: number, reference: number | undefined): string | undefined {
  const difference = reference === undefined ? NaN : value - reference;
  return Number.isFinite(difference) ? differenceText(difference) : undefined;
}

export function differenceText(difference: number): string {
  if (difference === 0) return "±0";
  const size = Math.abs(difference);
  // What is whole stays so: it tells two counts apart.
  const digits = Number.isInteger(size) ? 17 : Math.max(4, wholeDigits(size));
  return (difference > 0 ? "+" : "−") + valueText(Number(size.toPrecision(digits)));
}

function stepText(summary: ComparedSummary, stat: ComparedStat): string | undefined {
  if (stat !== "min" && stat !== "max") return undefined;
  const step = stat === "min" ? summary.minStep : summary.maxStep;
  return step === null ? undefined : `step ${countText(step)}`;
}

/** The value by which an experiment is ordered: the smallest comes first, what is none last. */
export function orderOf({ metrics }: DifferenceReply, order: MetricOrder | undefined) {
  if (order === undefined) return undefined;
  const metric = metrics.find(({ name }) => name === order.name);
  return (at: number) => {
    const value = numberOf(metric?.summaries[at], order.stat);
    if (value !== undefined && !Number.isFinite(value)) return Infinity;
    return value !== undefined && order.descending ? -value : value;
  };
}

/** Every number with all its digits, and where the least and the largest stood. */
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
