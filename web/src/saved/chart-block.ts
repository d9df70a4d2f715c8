import type { ChartBlock } from "@lossless/protocol";
import { parametersOf, type ChartView, type Choice } from "../chart/view.ts";

interface Shown {
  seriesName: string;
  members: readonly { experimentId: string }[];
  choices: readonly Choice[];
  view: ChartView;
  query?: string | undefined;
}

/** A chart as a report keeps it: what it is drawn from, and how. */
export function chartBlock({ seriesName, members, choices, view, query }: Shown): ChartBlock {
  // A chart of its own for each value of a key shows that value only.
  const split = view.split.kind === "key" ? ({ kind: "colour" } as const) : view.split;
  const whose =
    query === undefined
      ? { experimentIds: members.map(({ experimentId }) => experimentId) }
      : { query };
  const drawn = viewText({ ...view, only: choices, split });
  return { kind: "chart", ...whose, seriesName, title: "", view: drawn };
}

/** How a chart is drawn, as the query of its page says it; what is a default is left out. */
export function viewText(view: ChartView): string {
  const named = Object.entries(parametersOf(view)).filter(([, value]) => value);
  return new URLSearchParams(named as [string, string][]).toString();
}
