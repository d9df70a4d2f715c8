import type { ChartBlock, SeriesOperator } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { parametersOf, type ChartView, type Choice } from "../chart/view.ts";

/** A query that finds the experiments at each view. */
export type LiveQuery = Pick<ChartBlock, "folderId" | "sort"> & { query: string };

interface ChartToSave {
  seriesName: string;
  /** Further series on the same axes. */
  others?: readonly string[];
  /** Combines the series with the only other one. */
  operator?: SeriesOperator | undefined;
  /** Undefined or empty: the name of the series. */
  title?: string | undefined;
  members: readonly { experimentId: string }[];
  choices: readonly Choice[];
  view: ChartView;
  /** The query, if its result is shown; else the experiments are named by id. */
  live?: LiveQuery | undefined;
  /** The experiment whose marks are shown below the chart. */
  marked?: string | undefined;
}

/** A chart as a block of a report: its data, and its appearance. */
export function chartBlock({
  seriesName,
  others = [],
  operator,
  members,
  choices,
  view,
  live,
  marked,
  title = "",
}: ChartToSave): ChartBlock {
  // A chart split off for one value of a key shows that value only.
  const split = view.split.kind === "key" ? ({ kind: "colour" } as const) : view.split;
  const ids = members.map(({ experimentId }) => experimentId);
  // The marks of the first experiment are shown by default.
  const isChosen = marked !== undefined && ids.indexOf(marked) > 0;
  return {
    kind: "chart",
    ...(live ?? { experimentIds: ids }),
    ...(isChosen && { referenceId: marked }),
    seriesName,
    ...(others.length > 0 && { otherSeriesNames: [...others] }),
    ...(operator !== undefined && { operator }),
    title: title.slice(0, limits.labelCharactersMax).toWellFormed(),
    view: viewText({ ...view, only: choices, split }),
  };
}

/** The appearance of a chart as the query of its page has it, without defaults. */
export function viewText(view: ChartView): string {
  const named = Object.entries(parametersOf(view)).filter(([, value]) => value);
  return new URLSearchParams(named as [string, string][]).toString();
}
