import { ApartPanel } from "./apart/apart-panel.tsx";
import { ChartsPanel } from "./charts-panel.tsx";
import { DifferencePanel } from "./difference/difference-panel.tsx";
import { MetricPanel } from "./difference/metric-panel.tsx";
import { RelationsPanel } from "./relations/relations-panel.tsx";
import type { ComparePanel } from "./panel.ts";

/** The panels beside the list of compared experiments, from top to bottom. */
export const panels: readonly ComparePanel[] = [
  { title: "Difference", Panel: DifferencePanel },
  { title: "Metrics", Panel: MetricPanel },
  { title: "What sets these apart", Panel: ApartPanel },
  { title: "Relations", Panel: RelationsPanel },
  { title: "Charts", Panel: ChartsPanel },
];
