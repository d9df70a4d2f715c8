import { fieldText, parseField } from "@lossless/protocol/query-field";
import { parseSort } from "@lossless/protocol/query-list";
import { type Direction, directionsText, readDirections } from "../../../parts/directions.ts";

/** Statistics that can be compared, out of those in summaries. */
export const comparedStats = ["last", "min", "max", "mean"] as const;
export type ComparedStat = (typeof comparedStats)[number];

export interface MetricOrder {
  name: string;
  stat: ComparedStat;
  descending: boolean;
}

export interface MetricView {
  stats: readonly ComparedStat[];
  /** Filter: a part of a metric's name. */
  text: string;
  /** The row by which experiments are ordered. */
  order: MetricOrder | undefined;
  /** Directions chosen by the reader, by metric name. */
  directions: ReadonlyMap<string, Direction>;
}

type Parameter = (name: string) => string | undefined;

export function readMetricView(parameter: Parameter): MetricView {
  const named = (parameter("stats") ?? "").split(",");
  const stats = comparedStats.filter((stat) => named.includes(stat));
  return {
    stats: stats.length > 0 ? stats : comparedStats,
    text: parameter("metric") ?? "",
    order: metricOrderIn(parameter("by")),
    directions: readDirections(parameter("best")),
  };
}

export function metricParameters({ stats, text, order, directions }: MetricView) {
  return {
    stats: stats.length === comparedStats.length ? "" : stats.join(","),
    metric: text,
    by: order === undefined ? "" : metricOrderText(order),
    best: directionsText(directions),
  };
}

/** Parses a statistic of a metric from the address, optionally followed by `desc`. */
export function metricOrderIn(text: string | undefined): MetricOrder | undefined {
  try {
    const [sort] = parseSort(text ?? "");
    const field = sort === undefined ? undefined : parseField(sort.field);
    if (field?.kind !== "metric" || field.partition !== undefined) return undefined;
    const stat = comparedStats.find((one) => one === field.stat);
    return stat && { name: field.name, stat, descending: sort.descending };
  } catch {
    return undefined;
  }
}

export function metricOrderText({ name, stat, descending }: MetricOrder): string {
  return `${fieldText({ kind: "metric", name, stat })}${descending ? " desc" : ""}`;
}
