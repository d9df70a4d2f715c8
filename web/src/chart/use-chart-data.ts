import type { OverviewBody, OverviewReply } from "@lossless/client";
import type { SeriesOperator } from "@lossless/protocol";
import { useEffect, useMemo, useState } from "preact/hooks";
import { usualDigits } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import { margin, rightOf } from "./axes/margins.ts";
import type { Cut } from "./cut.ts";
import { chartDataOf, type ChartData, foundDataOf } from "./chart-data.ts";
import type { Found } from "./groups/found-groups.ts";
import { isOfService } from "./groups/of-service.ts";
import { type GroupsPart, useGroupsPart } from "./groups/use-groups-part.ts";
import { useGroups } from "./groups/use-groups.ts";
import type { Member } from "./lines/looks.ts";
import { useOverview, type OverviewState } from "./overview/overview.ts";
import { overviewRequest } from "./overview/request.ts";
import type { ChartView, Choice } from "./view.ts";

export interface ChartInput {
  service: Service;
  seriesName: string;
  /** Further series on the same axes. */
  others?: readonly string[] | undefined;
  /** Combines the series with the only other one. */
  operator?: SeriesOperator | undefined;
  members: readonly Member[];
  choices: readonly Choice[];
  view: ChartView;
  /** Set when the members are only the first of those found. */
  cut?: Cut | undefined;
  /** All that the page finds, over which groups are made; undefined: the members. */
  found?: Found | undefined;
}

/** A chart's data, laid out for a given room. */
export interface LoadedChart extends Omit<OverviewState, "overview">, Omit<ChartData, "overview"> {
  overview: OverviewReply | undefined;
  request: OverviewBody;
  /** The script of groups, where there are any. */
  part: GroupsPart | undefined;
  /** Whether there is room for names beside the ends of lines. */
  hasNames: boolean;
  plotWidth: number;
}

/** Width of a chart, in CSS pixels, from which there is room for names. */
const namedFromWidth = 440;

/**
 * Reads the data of a chart; without room nothing is requested. A picture has as many columns as
 * its own size needs.
 */
export function useChartData(
  { service, seriesName, others = [], operator, members, choices, view, cut, found }: ChartInput,
  width: number,
  pictureColumns?: number,
): LoadedChart {
  const series = operator === undefined ? 1 + others.length : 1;
  const hasNames = members.length * series > 1 && width >= namedFromWidth;
  const plotWidth = width - margin.left - rightOf(hasNames, width);
  const pixels = Math.round(plotWidth * devicePixelRatio);
  const columns = pictureColumns ?? Math.min(8_192, Math.max(1, pixels));
  const ids = members.map(({ experimentId }) => experimentId);
  const names = [seriesName, ...others];
  const plain = overviewRequest(ids, names, choices, view, columns, operator);
  const isPlain = plain.series.every(({ combined }) => combined === undefined);
  const revision = members.map((member) => member.revision).join();
  const [isShort, setShort] = useState(false);
  const byService =
    width > 0 && members.length > 0 && isOfService(view, cut !== undefined, isShort);
  const part = useGroupsPart(view.group !== undefined);
  const asked = byService && found ? part?.groupsRequest(found, plain, view.group!) : undefined;
  const grouped = useGroups(service, asked, `${revision} ${cut?.of ?? 0}`);
  const { reply: groups } = grouped;
  const request = (groups && part?.membersRequest(plain, groups)) ?? plain;
  const isWaiting = byService && found !== undefined && groups === undefined;
  const isRead = width > 0 && !isWaiting;
  const answer = useOverview(service, isRead ? request : undefined, revision);
  const { overview } = answer;
  // Metas are long, and only needed for groups.
  const among = JSON.stringify(
    members.map(({ among: own, colour, meta }) => [
      own,
      colour,
      view.group === undefined ? [] : [...(meta ?? [])],
    ]),
  );
  // Lines that one chart cannot draw are in groups of the service only.
  const lacksLines = overview !== undefined && overview.partitions > overview.series.length;
  useEffect(() => {
    if (overview !== undefined) setShort(lacksLines);
  }, [overview, lacksLines]);
  const data = useMemo(() => {
    if (groups !== undefined && part !== undefined)
      return foundDataOf(
        { ...groups, seriesName: isPlain ? seriesName : "" },
        overview,
        members,
        view,
        part,
      );
    const drawn = overview && chartDataOf(overview, members, view, cut, part);
    return drawn ?? { overview: undefined, looks: [], view, caption: "…", digits: usualDigits };
  }, [overview, groups, seriesName, part, among, JSON.stringify(view), cut?.of]);
  const state =
    asked === undefined ? answer : { ...grouped, problem: grouped.problem ?? answer.problem };
  const { problem } = state;
  return {
    ...data,
    isCurrent: state.isCurrent && (view.group === undefined || part !== undefined),
    ...(problem !== undefined && { problem }),
    request,
    part,
    hasNames,
    plotWidth,
  };
}
