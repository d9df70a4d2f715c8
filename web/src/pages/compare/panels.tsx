import { ApartPanel } from "./apart/apart-panel.tsx";
import { ChartsPanel } from "./charts-panel.tsx";
import { DifferencePanel } from "./difference/difference-panel.tsx";
import { MetricPanel } from "./difference/metric-panel.tsx";
import { ImportancePanel } from "./importance/importance-panel.tsx";
import { RelationsPanel } from "./relations/relations-panel.tsx";
import { openingApart } from "./apart/apart-view.ts";
import { openingMatters } from "./importance/importance-view.ts";
import { openingRelations } from "./relations/relations-view.ts";
import type { ComparePanel } from "./panel.ts";

/** The panels beside the list of compared experiments, from top to bottom. */
export const panels: readonly ComparePanel[] = [
  { title: "Charts", Panel: ChartsPanel },
  { title: "Difference", Panel: DifferencePanel },
  { title: "Metrics", Panel: MetricPanel },
  { title: "A against B", Panel: ApartPanel, isForMembers: true, opening: openingApart },
  { title: "Importance", Panel: ImportancePanel, isForMembers: true, opening: openingMatters },
  { title: "Relations", Panel: RelationsPanel, opening: openingRelations },
];
