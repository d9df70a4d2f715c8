import { fieldText, parseField } from "@lossless/protocol/query-field";
import { parseSort } from "@lossless/protocol/query-list";

/** Statistics that can be compared, out of those in summaries. */
export const comparedStats = ["last", "min", "max", "mean"] as const;
export type ComparedStat = (typeof comparedStats)[number];

/** The direction in which values of a metric are better. */
export type Direction = "least" | "most" | "none";

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
    directions: directionsIn(parameter("best")),
  };
}

export function metricParameters({ stats, text, order, directions }: MetricView) {
  return {
    stats: stats.length === comparedStats.length ? "" : stats.join(","),
    metric: text,
    by: order === undefined ? "" : metricOrderText(order),
    best: [...directions].map(([name, way]) => `${way} ${encodeURIComponent(name)}`).join(","),
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

function directionsIn(text: string | undefined): Map<string, Direction> {
  const found = new Map<string, Direction>();
  for (const each of (text ?? "").split(",")) {
    const [, way, name] = /^(least|most|none) (.+)$/.exec(each) ?? [];
    if (way !== undefined) found.set(decoded(name), way as Direction);
  }
  return found;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
