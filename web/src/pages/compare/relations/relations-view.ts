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
  /** Axes that are logarithmic, and that are linear, whatever their values say. */
  logs: readonly string[];
  linears: readonly string[];
  /** The field that gives colours; "": none does; undefined: the usual one. */
  colour: string | undefined;
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
    linears: fieldsIn(parameter("linears")),
    colour: parameter("colour") === noColour ? "" : fieldsIn(parameter("colour"))[0],
    x: parameter("px"),
    y: parameter("py"),
  };
}

/** Parallel coordinates, which have all keys that differ. Undefined: a plot is open. */
export function openingRelations(parameter: Parameter) {
  const view = readRelationsView(parameter);
  const plot: PlotKind = "parallel";
  return view.plot === undefined ? relationsParameters({ ...view, plot }) : undefined;
}

const noColour = "own";

export function relationsParameters(view: RelationsView) {
  const { plot, axes, logs, linears, colour, x, y } = view;
  return {
    plot: plot ?? "",
    axes: axes?.join(",") ?? "",
    logs: logs.join(","),
    linears: linears.join(","),
    colour: colour === "" ? noColour : colour,
    px: x,
    py: y,
  };
}

/** The two axes of a scatter plot, among the existing ones: numbers before texts. */
export function scatterAxes(
  { x, y }: RelationsView,
  axes: readonly string[],
  texts: ReadonlySet<string>,
): [string, string] {
  const usual = axes.find((field) => field !== y && !texts.has(field)) ?? axes[0];
  const across = x !== undefined && axes.includes(x) ? x : usual;
  const up = y !== undefined && axes.includes(y) ? y : undefined;
  return [across, up ?? axes.findLast((field) => field !== across) ?? across];
}

/** Whether an axis was chosen to be logarithmic; undefined: its values decide. */
export function chosenLog({ logs, linears }: RelationsView, field: string): boolean | undefined {
  return logs.includes(field) ? true : linears.includes(field) ? false : undefined;
}

/** The choice of a logarithmic or linear axis. */
export function withLog(view: RelationsView, field: string, isLog: boolean) {
  const without = (fields: readonly string[]) => fields.filter((each) => each !== field);
  const [logs, linears] = [without(view.logs), without(view.linears)];
  return isLog ? { logs: [...logs, field], linears } : { logs, linears: [...linears, field] };
}

/**
 * The field that gives colours: for parallel coordinates the last metric among the axes, for a
 * scatter plot one that is not its axes. Undefined: none does.
 */
export function colourField(
  { plot, colour }: RelationsView,
  fields: readonly string[],
  chosen: readonly string[],
): string | undefined {
  if (colour !== undefined) return colour === "" ? undefined : colour;
  const metrics = fields.filter((field) => field.startsWith("metric."));
  if (plot !== "scatter") return metrics.at(-1);
  return fields.find((field) => !chosen.includes(field)) ?? metrics.at(-1);
}

function fieldsIn(text: string | undefined): string[] {
  try {
    return [...new Set(parseColumns(text ?? ""))];
  } catch {
    return [];
  }
}
