import { ApartPanel } from "./apart/apart-panel.tsx";
import { ChartsPanel } from "./charts-panel.tsx";
import { DifferencePanel } from "./difference/difference-panel.tsx";
import { MetricPanel } from "./difference/metric-panel.tsx";
import { ImportancePanel } from "./importance/importance-panel.tsx";
import { RelationsPanel } from "./relations/relations-panel.tsx";
import type { ComparePanel } from "./panel.ts";

/** The panels beside the list of compared experiments, from top to bottom. */
export const panels: readonly ComparePanel[] = [
  { title: "Charts", Panel: ChartsPanel },
  { title: "Difference", Panel: DifferencePanel },
  { title: "Metrics", Panel: MetricPanel },
  { title: "A against B", Panel: ApartPanel, isForMembers: true },
  { title: "Importance", Panel: ImportancePanel, isForMembers: true },
  { title: "Relations", Panel: RelationsPanel },
];
