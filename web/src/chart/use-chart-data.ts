import type { OverviewBody, OverviewReply } from "@lossless/client";
import { useMemo } from "preact/hooks";
import { usualDigits } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import { margin, rightOf } from "./axes/margins.ts";
import type { Cut } from "./cut.ts";
import { chartDataOf, type ChartData } from "./chart-data.ts";
import type { Member } from "./lines/looks.ts";
import { useOverview, type OverviewState } from "./overview/overview.ts";
import { overviewRequest } from "./overview/request.ts";
import type { ChartView, Choice } from "./view.ts";

interface ChartInput {
  service: Service;
  seriesName: string;
  members: readonly Member[];
  choices: readonly Choice[];
  view: ChartView;
  /** Set when the members are only the first of those found. */
  cut?: Cut | undefined;
}

/** A chart's data, laid out for a given room. */
export interface LoadedChart extends Omit<OverviewState, "overview">, Omit<ChartData, "overview"> {
  overview: OverviewReply | undefined;
  request: OverviewBody;
  /** Whether there is room for names beside the ends of lines. */
  hasNames: boolean;
  plotWidth: number;
}

/** Width of a chart, in CSS pixels, from which there is room for names. */
const namedFromWidth = 440;

/** Reads the data of a chart; without room nothing is requested. */
export function useChartData(
  { service, seriesName, members, choices, view, cut }: ChartInput,
  width: number,
): LoadedChart {
  const hasNames = members.length > 1 && width >= namedFromWidth;
  const plotWidth = width - margin.left - rightOf(hasNames, width);
  const columns = Math.min(8_192, Math.max(1, Math.round(plotWidth * devicePixelRatio)));
  const ids = members.map(({ experimentId }) => experimentId);
  const request = overviewRequest(ids, seriesName, choices, view, columns);
  const revision = members.map((member) => member.revision).join();
  const answer = useOverview(service, width > 0 ? request : undefined, revision);
  const { overview } = answer;
  // Metas are long, and only needed for groups.
  const among = JSON.stringify(
    members.map(({ among: own, meta }) => [own, view.group === undefined ? [] : [...(meta ?? [])]]),
  );
  const data = useMemo(() => {
    if (overview === undefined)
      return { overview, looks: [], view, caption: "…", digits: usualDigits };
    return chartDataOf(overview, members, view, cut);
  }, [overview, among, JSON.stringify(view), cut?.of]);
  return { ...answer, ...data, request, hasNames, plotWidth };
}
