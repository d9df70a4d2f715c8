import { parseColumns } from "@lossless/protocol/query-list";

export const plots = ["parallel", "scatter"] as const;
export type PlotKind = (typeof plots)[number];

/** Axes at most: lines between closer ones cannot be told apart. */
export const axesMax = 12;

/** The plot and its axes, all in the address. */
export interface RelationsView {
  /** Undefined: nothing is drawn. */
  plot: PlotKind | undefined;
  /** Fields in the language's spelling; undefined: the default ones. */
  axes: readonly string[] | undefined;
  logs: readonly string[];
  /** The chosen axes of a scatter plot. */
  x: string | undefined;
  y: string | undefined;
}

type Parameter = (name: string) => string | undefined;

export function readRelationsView(parameter: Parameter): RelationsView {
  const axes = fieldsIn(parameter("axes")).slice(0, axesMax);
  return {
    plot: plots.find((plot) => plot === parameter("plot")),
    axes: axes.length > 0 ? axes : undefined,
    logs: fieldsIn(parameter("logs")),
    x: parameter("px"),
    y: parameter("py"),
  };
}

export function relationsParameters({ plot, axes, logs, x, y }: RelationsView) {
  return {
    plot: plot ?? "",
    axes: axes?.join(",") ?? "",
    logs: logs.join(","),
    px: x,
    py: y,
  };
}

/** The two axes of a scatter plot, among the existing ones. */
export function scatterAxes({ x, y }: RelationsView, axes: readonly string[]): [string, string] {
  const across = x !== undefined && axes.includes(x) ? x : axes[0];
  const up = y !== undefined && axes.includes(y) ? y : undefined;
  return [across, up ?? axes.findLast((field) => field !== across) ?? across];
}

function fieldsIn(text: string | undefined): string[] {
  try {
    return [...new Set(parseColumns(text ?? ""))];
  } catch {
    return [];
  }
}
