import type { ChartBlock } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { parametersOf, type ChartView, type Choice } from "../chart/view.ts";

/** What finds experiments whenever somebody looks. */
export type LiveQuery = Pick<ChartBlock, "folderId" | "sort"> & { query: string };

interface Shown {
  seriesName: string;
  /** Undefined, or empty: it is called by the name of its series. */
  title?: string;
  members: readonly { experimentId: string }[];
  choices: readonly Choice[];
  view: ChartView;
  /** What finds the experiments, where they are what it finds; else they are named. */
  live?: LiveQuery | undefined;
  /** Whose marks stand below it. */
  marked?: string | undefined;
}

/** A chart as a report keeps it: what it is drawn from, and how. */
export function chartBlock({
  seriesName,
  members,
  choices,
  view,
  live,
  marked,
  title = "",
}: Shown): ChartBlock {
  // A chart of its own for each value of a key shows that value only.
  const split = view.split.kind === "key" ? ({ kind: "colour" } as const) : view.split;
  const ids = members.map(({ experimentId }) => experimentId);
  // Those of the first one are shown anyway.
  const isChosen = marked !== undefined && ids.indexOf(marked) > 0;
  return {
    kind: "chart",
    ...(live ?? { experimentIds: ids }),
    ...(isChosen && { referenceId: marked }),
    seriesName,
    title: title.slice(0, limits.labelCharactersMax).toWellFormed(),
    view: viewText({ ...view, only: choices, split }),
  };
}

/** How a chart is drawn, as the query of its page says it; what is a default is left out. */
export function viewText(view: ChartView): string {
  const named = Object.entries(parametersOf(view)).filter(([, value]) => value);
  return new URLSearchParams(named as [string, string][]).toString();
}
