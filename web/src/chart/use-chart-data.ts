import type { OverviewBody, OverviewReply } from "@lossless/client";
import { useMemo } from "preact/hooks";
import { usualDigits } from "../parts/words.ts";
import type { Service } from "../signed-in.ts";
import { margin, rightOf } from "./paint/frame.ts";
import type { Cut } from "./cut.ts";
import { drawnOf, type Drawn } from "./chart-data.ts";
import type { Member } from "./lines/looks.ts";
import { useOverview, type Answer } from "./overview/overview.ts";
import { questionOf } from "./overview/request.ts";
import type { ChartView, Choice } from "./view.ts";

interface Asked {
  service: Service;
  seriesName: string;
  members: readonly Member[];
  choices: readonly Choice[];
  view: ChartView;
  /** Set when the members are only the first of those found. */
  cut?: Cut | undefined;
}

/** A chart's data, laid out for a given room. */
export interface Picture extends Omit<Answer, "overview">, Omit<Drawn, "overview"> {
  overview: OverviewReply | undefined;
  question: OverviewBody;
  /** Whether there is room for names beside the ends of lines. */
  hasNames: boolean;
  plotWidth: number;
}

/** Width of a chart, in CSS pixels, from which there is room for names. */
const namedFromWidth = 440;

/** Reads the data of a chart; without room nothing is requested. */
export function usePicture(
  { service, seriesName, members, choices, view, cut }: Asked,
  width: number,
): Picture {
  const hasNames = members.length > 1 && width >= namedFromWidth;
  const plotWidth = width - margin.left - rightOf(hasNames, width);
  const columns = Math.min(8_192, Math.max(1, Math.round(plotWidth * devicePixelRatio)));
  const ids = members.map(({ experimentId }) => experimentId);
  const question = questionOf(ids, seriesName, choices, view, columns);
  const revision = members.map((member) => member.revision).join();
  const answer = useOverview(service, width > 0 ? question : undefined, revision);
  const { overview } = answer;
  // Metas are long, and only needed for groups.
  const among = JSON.stringify(
    members.map(({ among: own, meta }) => [own, view.group === undefined ? [] : [...(meta ?? [])]]),
  );
  const drawn = useMemo(() => {
    if (overview === undefined)
      return { overview, looks: [], view, caption: "…", digits: usualDigits };
    return drawnOf(overview, members, view, cut);
  }, [overview, among, JSON.stringify(view), cut?.of]);
  return { ...answer, ...drawn, question, hasNames, plotWidth };
}
