import { ChartsPanel } from "./charts-panel.tsx";
import type { ComparePanel } from "./panel.ts";

/** Everything that stands beside the list of the compared experiments, from top to bottom. */
export const panels: readonly ComparePanel[] = [{ title: "Charts", Panel: ChartsPanel }];
