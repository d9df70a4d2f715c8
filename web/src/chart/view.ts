import { limits } from "@lossless/protocol/limits";

/** The view of a chart, as kept in an address. */
export interface ChartView {
  x: XAxis;
  isLogX: boolean;
  /** In units of the axis; undefined: all of it. */
  range: Range | undefined;
  y: YScale;
  /** Undefined: all values. */
  heights: "robust" | Range | undefined;
  smooth: Smooth | undefined;
  /**
   * Drawing of partitions: each in a colour, in one colour, or a chart for each value of a key.
   */
  split: { kind: "colour" } | { kind: "together" } | { kind: "key"; key: string };
  /** Shows only partitions with these values. */
  only: readonly Choice[];
  /** Undefined: each line is drawn by itself. */
  group: Grouping | undefined;
  band: Band;
}

/** Keys that distinguish groups: these, or all others. */
export interface Grouping {
  kind: "by" | "without";
  /** Fields of meta in the query language's spelling, or keys of partitions. */
  keys: readonly string[];
}

/** Kinds of bands around a mean. */
export const bands = ["minmax", "std", "sem"] as const;
export type Band = (typeof bands)[number];

export interface Range {
  start: number;
  end: number;
}

export type XAxis = { kind: (typeof plainAxes)[number] } | { kind: "metric"; name: string };
export const plainAxes = ["step", "offset", "elapsed", "time"] as const;
export const axisNames: Record<(typeof plainAxes)[number], string> = {
  step: "step",
  offset: "steps from the first point",
  elapsed: "time from the first point",
  time: "time",
};

export const yScales = ["linear", "log", "symlog"] as const;
export type YScale = (typeof yScales)[number];

/** By distance on the x axis, by points as TensorBoard does, or by points on both sides. */
export type Smooth = { kind: "x" | "ema"; weight: number } | { kind: "gauss"; points: number };
export const smoothKinds = ["x", "ema", "gauss"] as const;

/** A key of partitions, with the value to show. */
export interface Choice {
  key: string;
  value: string;
}

type Read = (name: string) => string | undefined;
export type Parameters = Record<string, string | undefined>;

/** Reads a view; invalid values become defaults, as an address may have been typed. */
export function viewOf(read: Read): ChartView {
  const heights = read("yr");
  const split = read("split");
  return {
    x: axisOf(read("x") ?? "step"),
    isLogX: read("xs") === "log",
    range: rangeOf(read("r")),
    y: yScales.find((scale) => scale === read("y")) ?? "linear",
    heights: heights === "robust" ? heights : rangeOf(heights),
    smooth: smoothOf(read("s") ?? ""),
    split:
      split === undefined
        ? { kind: "colour" }
        : split === together
          ? { kind: "together" }
          : { kind: "key", key: split },
    group: groupingOf(read("group")),
    band: bands.find((band) => band === read("band")) ?? "minmax",
    only: listOf(read("only")).flatMap((each) => {
      const at = each.indexOf("=");
      return at < 0 ? [] : [{ key: each.slice(0, at), value: each.slice(at + 1) }];
    }),
  };
}

/** Reads a view of which some parameters are a chart's own. */
export function viewWith(read: Read, own: string | undefined): ChartView {
  const parameters = new URLSearchParams(own);
  return viewOf((name) => parameters.get(name) ?? read(name));
}

/** The parameters of an address for a view, without defaults. */
export function parametersOf(part: Partial<ChartView>): Parameters {
  const parameters: Parameters = {};
  const { x, isLogX, y, heights, smooth, split, only, group, band } = part;
  if (x !== undefined)
    parameters.x = x.kind === "metric" ? `metric:${x.name}` : x.kind === "step" ? "" : x.kind;
  if (isLogX !== undefined) parameters.xs = isLogX ? "log" : "";
  if ("range" in part) parameters.r = rangeText(part.range);
  if (y !== undefined) parameters.y = y === "linear" ? "" : y;
  if ("heights" in part) parameters.yr = heights === "robust" ? heights : rangeText(heights);
  if ("smooth" in part) parameters.s = smooth === undefined ? "" : smoothText(smooth);
  if (split !== undefined)
    parameters.split = split.kind === "key" ? split.key : split.kind === "together" ? together : "";
  if (only !== undefined)
    parameters.only = listText(only.map(({ key, value }) => `${key}=${value}`));
  if ("group" in part) parameters.group = groupingText(group);
  if (band !== undefined) parameters.band = band === "minmax" ? "" : band;
  return parameters;
}

/** Parses a grouping: hyphens before the keys mean all but these. */
export function groupingOf(text: string | undefined): Grouping | undefined {
  const keys = listOf(text).filter((key) => key !== "" && key !== "-");
  if (keys.length === 0) return undefined;
  if (!keys[0].startsWith("-")) return { kind: "by", keys };
  return { kind: "without", keys: keys.map((key) => key.replace(/^-/, "")) };
}

export function groupingText(group: Grouping | undefined): string {
  if (group === undefined) return "";
  return listText(group.kind === "by" ? group.keys : group.keys.map((key) => `-${key}`));
}

/** No key of a partition is empty, and a hyphen is unlikely. */
const together = "-";

/** Splits a list by commas; a comma within an entry is escaped. */
export function listOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return text.split(",").map((each) => each.replaceAll("%2C", ",").replaceAll("%25", "%"));
}

export function listText(list: readonly string[]): string {
  return list.map((each) => each.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

export function smoothText(smooth: Smooth): string {
  return `${smooth.kind}:${smooth.kind === "gauss" ? smooth.points : smooth.weight}`;
}

export function smoothOf(text: string): Smooth | undefined {
  const [kind, digits] = text.split(":");
  const number = Number(digits || NaN);
  if ((kind === "x" || kind === "ema") && number > 0 && number <= weightMax)
    return { kind, weight: number };
  if (kind === "gauss" && number >= 1 && number <= gaussPointsMax)
    return { kind, points: Math.round(number) };
  return undefined;
}

export const gaussPointsMax = limits.gaussPointsMax;
export const weightMax = limits.emaWeightMax;

export function axisOf(text: string): XAxis {
  const name = /^metric:(.+)$/s.exec(text)?.[1];
  if (name !== undefined) return { kind: "metric", name };
  return { kind: plainAxes.find((kind) => kind === text) ?? "step" };
}

function rangeOf(text: string | undefined): Range | undefined {
  const [start, end] = (text ?? "").split("~").map((part) => Number(part || NaN));
  return start < end && Number.isFinite(end - start) ? { start, end } : undefined;
}

function rangeText(range: Range | undefined): string {
  return range === undefined ? "" : `${range.start}~${range.end}`;
}

/** Smoothings to step through with a key; an address may have others. */
export const smoothings: readonly (Smooth | undefined)[] = [
  undefined,
  { kind: "x", weight: 0.9 },
  { kind: "x", weight: 0.99 },
  { kind: "x", weight: 0.999 },
];
