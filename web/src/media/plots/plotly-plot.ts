import {
  type Bar,
  countedBars,
  type Drawing,
  isObject,
  type Layer,
  nameOf,
  NotDrawn,
  Places,
  type PlotAxis,
  plotNumbersMax,
} from "./drawing.ts";

/**
 * Draws a figure of Plotly that consists of lines, points, bars, histograms or one heat map, on one
 * pair of axes. Throws NotDrawn for any other: a part of it would be mistaken for all of it.
 */
export function plotlyPlot(json: unknown): Drawing {
  if (!isObject(json) || !Array.isArray(json["data"])) throw new NotDrawn("The file is no figure.");
  const traces = (json["data"] as unknown[])
    .filter(isObject)
    .filter(({ visible }) => visible !== false && visible !== "legendonly");
  if (traces.length === 0) throw new NotDrawn("The figure is empty.");
  const layout = isObject(json["layout"]) ? json["layout"] : {};
  for (const trace of traces) requireKnown(trace);
  if (traces.length === 1 && traces[0]["type"] === "heatmap") return heatMap(traces[0], layout);
  const columns = traces.map((trace) => ({ trace, ...columnsOf(trace) }));
  if (columns.reduce((sum, { x, y }) => sum + x.length + y.length, 0) > plotNumbersMax)
    throw new NotDrawn("The figure has too many numbers to be drawn here.");
  const across = new Places(columns.flatMap(({ x }) => x));
  const up = new Places(columns.flatMap(({ y }) => y));
  const layers = columns.flatMap(({ trace, x, y }, at) =>
    layersOf(
      trace,
      traces,
      at,
      x.map((value) => across.of(value)),
      y.map((value) => up.of(value)),
    ),
  );
  return {
    title: titleOf(layout["title"]),
    x: axisOf(layout["xaxis"], across.names),
    y: axisOf(layout["yaxis"], up.names),
    layers,
  };
}

type Json = Record<string, unknown>;

const drawnTypes = ["scatter", "scattergl", "bar", "histogram", "heatmap"];

function requireKnown(trace: Json): void {
  const { type = "scatter", xaxis = "x", yaxis = "y" } = trace;
  if (!drawnTypes.includes(type as string))
    throw new NotDrawn(`Plotly’s ${nameOf(type)} cannot be drawn here.`);
  if (xaxis !== "x" || yaxis !== "y")
    throw new NotDrawn("Only Plotly figures with one pair of axes can be drawn here.");
  if (type === "heatmap" && !isObject(trace["z"]) && !Array.isArray(trace["z"]))
    throw new NotDrawn("The heat map has no numbers.");
}

/** The columns of a trace; those that it lacks count from 0. */
function columnsOf(trace: Json): { x: unknown[]; y: unknown[] } {
  const [x, y] = [listOf(trace["x"]), listOf(trace["y"])];
  if (trace["type"] === "histogram") {
    const isAcross = x === undefined;
    const bars = countedBars((x ?? y ?? []).map(Number), binsOf(trace));
    const edges = bars.flatMap(({ left, right }) => [left, right]);
    const counts = bars.flatMap(({ from, to }) => [from, to]);
    return isAcross ? { x: counts, y: edges } : { x: edges, y: counts };
  }
  const length = Math.max(x?.length ?? 0, y?.length ?? 0);
  const counted = (key: "x0" | "y0") =>
    Array.from({ length }, (_, at) => at + (Number(trace[key]) || 0));
  return { x: (x ?? counted("x0")).slice(0, length), y: (y ?? counted("y0")).slice(0, length) };
}

function binsOf({ nbinsx, nbinsy }: Json): number {
  const wanted = Number(nbinsx ?? nbinsy ?? 30);
  return Number.isInteger(wanted) && wanted > 0 && wanted <= 512 ? wanted : 30;
}

function layersOf(
  trace: Json,
  traces: readonly Json[],
  at: number,
  x: number[],
  y: number[],
): Layer[] {
  const name =
    typeof trace["name"] === "string" ? trace["name"] : traces.length > 1 ? `trace ${at}` : "";
  if (trace["type"] === "histogram") return [histogramLayer(trace, name, x, y)];
  if (trace["type"] === "bar") return [barLayer(trace, traces, name, x, y)];
  const mode =
    typeof trace["mode"] === "string" ? trace["mode"] : x.length < 20 ? "lines+markers" : "lines";
  const kinds = (["line", "points"] as const).filter((kind) =>
    mode.includes(kind === "line" ? "lines" : "markers"),
  );
  if (kinds.length === 0) throw new NotDrawn(`Plotly’s ${mode} cannot be drawn here.`);
  return kinds.map((kind) => ({ kind, name, x, y }));
}

/** Bars of several traces stand beside each other. */
function barLayer(
  trace: Json,
  traces: readonly Json[],
  name: string,
  x: number[],
  y: number[],
): Layer {
  const isAcross = trace["orientation"] === "h";
  const all = traces.filter(({ type }) => type === "bar");
  const [places, values] = isAcross ? [y, x] : [x, y];
  const width = (0.8 * leastDistance(places)) / all.length;
  const offset = all.indexOf(trace) * width - (width * all.length) / 2;
  const bars = places.map((place, at): Bar => ({
    left: place + offset,
    right: place + offset + width,
    from: 0,
    to: values[at],
  }));
  return { kind: "bars", name, bars, isAcross };
}

function histogramLayer({ x: given }: Json, name: string, x: number[], y: number[]): Layer {
  const isAcross = listOf(given) === undefined;
  const [edges, counts] = isAcross ? [y, x] : [x, y];
  const bars = Array.from({ length: edges.length / 2 }, (_, at) => ({
    left: edges[2 * at],
    right: edges[2 * at + 1],
    from: 0,
    to: counts[2 * at + 1],
  }));
  return { kind: "bars", name, bars, isAcross };
}

function leastDistance(places: readonly number[]): number {
  const inOrder = [...new Set(places)].sort((one, other) => one - other);
  const distances = inOrder.slice(1).map((place, at) => place - inOrder[at]);
  return distances.length === 0 ? 1 : Math.min(...distances);
}

function heatMap(trace: Json, layout: Json): Drawing {
  const rows = matrixOf(trace["z"]);
  const width = rows[0]?.length ?? 0;
  if (width * rows.length > plotNumbersMax || rows.some(({ length }) => length !== width))
    throw new NotDrawn("The heat map has too many numbers, or rows of different lengths.");
  const names = (key: "x" | "y", count: number) =>
    (listOf(trace[key]) ?? Array.from({ length: count }, (_, at) => at)).map(nameOf);
  return {
    title: titleOf(layout["title"]),
    x: axisOf(layout["xaxis"], names("x", width)),
    y: axisOf(layout["yaxis"], names("y", rows.length)),
    layers: [{ kind: "cells", rows }],
  };
}

function axisOf(given: unknown, names: readonly string[] | undefined): PlotAxis {
  if (!isObject(given)) return { title: "", names };
  const { type, autorange, title } = given;
  if (type === "date") throw new NotDrawn("Plotly’s times cannot be drawn here.");
  return {
    title: titleOf(title),
    names,
    ...(type === "log" && names === undefined && { isLog: true }),
    ...(autorange === "reversed" && { isReversed: true }),
  };
}

/** A title is a text, or an object with one. */
function titleOf(title: unknown): string {
  const text = isObject(title) ? title["text"] : title;
  // Plotly takes some HTML there; here it is only text.
  return typeof text === "string" ? text.replaceAll(/<[^<>]*>/g, " ").trim() : "";
}

function matrixOf(z: unknown): number[][] {
  const cell = (value: unknown) => (typeof value === "number" ? value : NaN);
  if (Array.isArray(z)) return z.map((row) => (listOf(row) ?? []).map(cell));
  const all = (listOf(z) ?? []).map(Number);
  const [rows, columns] = String((z as Json)["shape"])
    .split(",")
    .map(Number);
  if (!(rows * columns === all.length)) throw new NotDrawn("The heat map has no numbers.");
  return Array.from({ length: rows }, (_, at) => all.slice(at * columns, (at + 1) * columns));
}

const arrays = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  u4: Uint32Array,
  i2: Int16Array,
  u2: Uint16Array,
  i1: Int8Array,
  u1: Uint8Array,
} as const;

/** A list, also as Plotly 6 writes arrays of numpy: their bytes in base64. */
function listOf(given: unknown): unknown[] | undefined {
  if (Array.isArray(given)) return given as unknown[];
  if (!isObject(given) || typeof given["bdata"] !== "string") return undefined;
  const kind = arrays[given["dtype"] as keyof typeof arrays];
  if (kind === undefined)
    throw new NotDrawn(`Plotly’s numbers of type ${nameOf(given["dtype"])} cannot be read here.`);
  try {
    const bytes = Uint8Array.from(atob(given["bdata"]), (letter) => letter.charCodeAt(0));
    return [...new kind(bytes.buffer)];
  } catch {
    throw new NotDrawn("The figure's numbers cannot be read.");
  }
}
