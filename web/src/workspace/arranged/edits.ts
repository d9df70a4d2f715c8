import type { Layout, LayoutChart, LayoutSection } from "@lossless/client";
import type { Section } from "../../pages/experiment/sections.ts";
import { hiddenName, pinnedName } from "./placed.ts";

/** Layouts after an edit. */

/** Changes the settings of a chart; those that are undefined go. */
export function withChart(
  layout: Layout,
  key: string,
  change: Partial<Record<keyof LayoutChart, unknown>>,
): Layout {
  const before = layout.charts?.find((chart) => chart.key === key) ?? { key };
  const entries = Object.entries({ ...before, ...change }).filter(([, value]) => isSet(value));
  const next = { ...(Object.fromEntries(entries) as Partial<LayoutChart>), key };
  const isEmpty = entries.length === 1;
  const charts = layout.charts ?? [];
  const isThere = charts.some((chart) => chart.key === key);
  return {
    ...layout,
    charts: isEmpty
      ? charts.filter((chart) => chart.key !== key)
      : isThere
        ? charts.map((chart) => (chart.key === key ? next : chart))
        : [...charts, next],
  };
}

/** Sets the columns or the height of all charts; undefined: as usual. */
export function withNumber(
  layout: Layout,
  name: "columns" | "height",
  value: number | undefined,
): Layout {
  const { [name]: _, ...rest } = layout;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** Removes a chart of the layout's own. */
export function withoutChart(layout: Layout, key: string): Layout {
  const others = (list: readonly string[] = []) => list.filter((each) => each !== key);
  return {
    ...layout,
    pinned: others(layout.pinned),
    hidden: others(layout.hidden),
    order: others(layout.order),
    charts: (layout.charts ?? []).filter((chart) => chart.key !== key),
  };
}

/** Hides a chart, or shows it again. One that a pattern hides is shown by removing the pattern. */
export function withHidden(
  layout: Layout,
  key: string,
  isHidden: boolean,
  isMatch: (pattern: string) => boolean = () => false,
): Layout {
  const hidden = (layout.hidden ?? []).filter((each) => each !== key && !isMatch(each));
  return { ...layout, hidden: isHidden ? [...hidden, key] : hidden };
}

/** Puts a chart into a section, before the chart that now has this place there. */
export function withMoved(
  layout: Layout,
  sections: readonly Section[],
  key: string,
  to: { section: string; at: number },
): Layout {
  const from = sections.find(({ series }) => series.includes(key));
  const target = sections.find(({ name }) => name === to.section);
  const isHidden = from?.name === hiddenName || to.section === hiddenName;
  if (from === undefined || target === undefined || isHidden) return layout;
  const keys = target.series.filter((each) => each !== key);
  const at = Math.max(0, Math.min(keys.length, to.at));
  keys.splice(at, 0, key);
  const pinned = (layout.pinned ?? []).filter((each) => each !== key);
  if (to.section === pinnedName) return { ...layout, pinned: keys };
  // Those behind it stand as before, after metrics to come.
  const first = keys.slice(0, at + 1);
  const rest = (layout.order ?? []).filter((each) => !first.includes(each));
  const next = { ...layout, pinned, order: [...first, ...rest] };
  return from === target ? next : withChart(next, key, { section: to.section });
}

/** Changes a section: its name, its patterns, or whether it is closed. */
export function withSection(layout: Layout, name: string, change: Partial<LayoutSection>): Layout {
  const sections = layout.sections ?? [];
  const isThere = sections.some((section) => section.name === name);
  const changed = (section: LayoutSection): LayoutSection => ({ ...section, ...change });
  const renamed = change.name ?? name;
  return {
    ...layout,
    sections: isThere
      ? sections.map((section) => (section.name === name ? changed(section) : section))
      : [...sections, changed({ name })],
    charts: (layout.charts ?? []).map((chart) =>
      chart.section === name ? { ...chart, section: renamed } : chart,
    ),
  };
}

/** Removes a section: its charts stand where they stand by themselves. */
export function withoutSection(layout: Layout, name: string): Layout {
  const charts = (layout.charts ?? []).filter(({ section }) => section === name);
  const sections = (layout.sections ?? []).filter((section) => section.name !== name);
  return charts.reduce<Layout>((next, { key }) => withChart(next, key, { section: undefined }), {
    ...layout,
    sections,
  });
}

/** Moves a section up or down among all that are shown. */
export function withMovedSection(
  layout: Layout,
  sections: readonly Section[],
  name: string,
  by: 1 | -1,
): Layout {
  const names = sections
    .map((section) => section.name)
    .filter((each) => each !== pinnedName && each !== hiddenName);
  const at = names.indexOf(name);
  if (at < 0 || at + by < 0 || at + by >= names.length) return layout;
  [names[at], names[at + by]] = [names[at + by], names[at]];
  const known = new Map((layout.sections ?? []).map((section) => [section.name, section]));
  const shown = names.map((each) => known.get(each) ?? { name: each });
  const rest = (layout.sections ?? []).filter((section) => !names.includes(section.name));
  return { ...layout, sections: [...shown, ...rest] };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}
