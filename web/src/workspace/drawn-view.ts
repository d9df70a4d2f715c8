import { viewWith, type ChartView } from "../chart/view.ts";
import type { DrawnChart } from "./drawn-chart.ts";

/** The view of a chart: its own axes, else the page's. Lines of several series are not grouped. */
export function drawnView(
  read: (name: string) => string | undefined,
  { own, names, operator }: Pick<DrawnChart, "own" | "names" | "operator">,
): ChartView {
  const view = viewWith(read, own);
  return names.length > 1 && operator === undefined ? { ...view, group: undefined } : view;
}
