import type { Layout, LayoutChart } from "@lossless/client";
import { seriesNamesText } from "../../chart/series-names.ts";
import {
  areFew,
  listed,
  namePattern,
  sectionsByName,
  type Section,
} from "../../pages/experiment/sections.ts";

/** A chart in its place. */
export interface PlacedChart extends LayoutChart {
  /** Its metrics: at least one. */
  names: string[];
}

export interface PlacedCharts {
  /** Keys of charts by section. */
  sections: Section[];
  charts: ReadonlyMap<string, PlacedChart>;
}

/** Headings of sections that layouts have by themselves. */
export const pinnedName = "pinned";
export const hiddenName = "hidden";
export const ownName = "own charts";

/**
 * Places a chart for each metric, and the layout's own charts. `wanted` is what is searched: hits
 * are together, hidden ones too.
 */
export function placedCharts(
  names: readonly string[],
  wanted: string,
  layout: Layout,
): PlacedCharts {
  const charts = chartsOf(names, layout);
  const keys = [...charts.keys()];
  if (wanted.trim() !== "") {
    const isFound = (key: string) => isHit(charts.get(key)!, wanted.trim());
    return { sections: listed("found", keys.filter(isFound)), charts };
  }
  const hidden = keys.filter((key) => matchesAny(key, layout.hidden ?? []));
  const pinned = (layout.pinned ?? []).filter((key) => charts.has(key) && !hidden.includes(key));
  const rest = keys.filter((key) => !hidden.includes(key) && !pinned.includes(key));
  const sections = [
    ...listed(pinnedName, pinned),
    ...restIn(rest, charts, layout, areFew(names)).map((section) => ({
      ...section,
      series: inOrder(section.series, layout.order ?? []),
    })),
    ...listed(hiddenName, hidden, true),
  ];
  return { sections, charts };
}

/** The name of a chart: its title, or its metrics. */
export function titleOf({ title, names, operator }: PlacedChart): string {
  return title ?? seriesNamesText(names, operator);
}

/** The names that a list of names and patterns means, each once, in the order of the list. */
export function namesOf(lines: readonly string[], names: readonly string[]): string[] {
  return [
    ...new Set(
      lines.flatMap((line) =>
        line.includes("*")
          ? names.filter((name) => patternOf(line).test(name))
          : names.filter((name) => name === line),
      ),
    ),
  ];
}

export function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.includes("*") ? patternOf(pattern).test(name) : pattern === name,
  );
}

/** The pattern of whole names, in which `*` is any text. */
function patternOf(text: string): RegExp {
  const parts = text.split("*").map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".*")}$`);
}

/**
 * Charts by key: of single metrics, and the layout's own. One without metrics is left out, and one
 * that combines two where it lacks any.
 */
function chartsOf(names: readonly string[], layout: Layout): Map<string, PlacedChart> {
  const own = new Map((layout.charts ?? []).map((chart) => [chart.key, chart]));
  const charts = new Map<string, PlacedChart>();
  for (const chart of own.values())
    if (chart.lines !== undefined && !names.includes(chart.key)) {
      const found = namesOf(chart.lines, names);
      charts.set(chart.key, { ...chart, names: isWhole(chart, found) ? found : [] });
    }
  for (const name of names) {
    const chart = own.get(name) ?? { key: name };
    const found = namesOf(chart.lines ?? [name], names);
    const { operator: _, ...alone } = chart;
    const isDrawn = found.length > 0 && isWhole(chart, found);
    charts.set(name, isDrawn ? { ...chart, names: found } : { ...alone, names: [name] });
  }
  for (const [key, chart] of charts) if (chart.names.length === 0) charts.delete(key);
  return charts;
}

function isWhole({ operator }: LayoutChart, names: readonly string[]): boolean {
  return operator === undefined || names.length === 2;
}

function isHit({ key, title = "", names }: PlacedChart, wanted: string): boolean {
  const pattern = namePattern(wanted);
  return [key, title, ...(names.length > 1 ? names : [])].some((text) => pattern.test(text));
}

/** Sections of the layout first, in its order, then those by the first part of names. */
function restIn(
  keys: readonly string[],
  charts: ReadonlyMap<string, PlacedChart>,
  { sections = [] }: Layout,
  areTogether: boolean,
): Section[] {
  const byName = new Map<string, string[]>();
  const left: string[] = [];
  for (const key of keys) {
    const name = sectionOf(charts.get(key)!, sections);
    if (name === undefined) left.push(key);
    else byName.set(name, [...(byName.get(name) ?? []), key]);
  }
  const usual = new Map(
    sectionsByName(left, areTogether).map((section) => [section.name, section]),
  );
  const own = [...byName.keys()].filter((name) => !usual.has(name));
  const names = [...sections.map(({ name }) => name), ...own, ...usual.keys()];
  return [...new Set(names)].flatMap((name) => {
    const series = [...(byName.get(name) ?? []), ...(usual.get(name)?.series ?? [])];
    if (series.length === 0) return [];
    const set = sections.find((section) => section.name === name);
    return [{ name, series, isClosed: set?.isClosed ?? usual.get(name)?.isClosed ?? false }];
  });
}

/** The section that a layout gives a chart; undefined: that of the first part of its name. */
function sectionOf(
  { key, lines, section, names }: PlacedChart,
  sections: NonNullable<Layout["sections"]>,
): string | undefined {
  if (section !== undefined) return section;
  const found = sections.find(({ patterns = [] }) => matchesAny(key, patterns));
  if (found !== undefined) return found.name;
  return lines !== undefined && !names.includes(key) ? ownName : undefined;
}

function inOrder(keys: readonly string[], order: readonly string[]): string[] {
  const first = order.filter((key) => keys.includes(key));
  return [...first, ...keys.filter((key) => !first.includes(key))];
}
