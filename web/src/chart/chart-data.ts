import type { GroupsReply, OverviewReply } from "@lossless/client";
import { digitsBetween } from "../parts/words.ts";
import { heightsOf } from "./axes/axis-y.ts";
import { captionOf } from "./caption.ts";
import { ungroupedText, type Cut } from "./cut.ts";
import type { GroupsPart } from "./groups/use-groups-part.ts";
import { looksInOrder, type LineLook, type Member } from "./lines/looks.ts";
import { withPasses } from "./lines/passes.ts";
import type { ChartView } from "./view.ts";

/** Data for painting a chart. */
export interface ChartData {
  overview: OverviewReply;
  looks: readonly LineLook[];
  /** The view as drawn: without groups that would lack members. */
  view: ChartView;
  /** The text below the chart. */
  caption: string;
  /** Significant digits that distinguish its values. */
  digits: number;
}

/**
 * Prepares an overview for painting, as lines or as groups of them; undefined: `part` is needed for
 * these.
 */
export function chartDataOf(
  answer: OverviewReply,
  members: readonly Member[],
  asked: ChartView,
  cut: Cut | undefined,
  part: GroupsPart | undefined,
): ChartData | undefined {
  const ungrouped = asked.group === undefined ? undefined : ungroupedText(answer, cut);
  const view = ungrouped === undefined ? asked : { ...asked, group: undefined };
  const { group, band, split } = view;
  if (group !== undefined && part === undefined) return undefined;
  const { overview, looks } =
    group === undefined
      ? {
          overview: withPasses(answer),
          looks: looksInOrder(answer, members, split.kind === "together"),
        }
      : part!.groupLines(answer, members, group, band);
  const { low, high } = heightsOf(overview, view);
  const caption = captionOf(overview, view, cut, ungrouped);
  return { overview, looks, view, caption, digits: digitsBetween(low, high) };
}

/** Prepares groups over all that is found; `lines` are those of their members that are read. */
export function foundDataOf(
  groups: GroupsReply & { seriesName: string },
  lines: OverviewReply | undefined,
  members: readonly Member[],
  view: ChartView,
  part: GroupsPart,
): ChartData {
  const { overview, looks } = part.foundLines(groups, lines, members, view.group!, view.band);
  const { low, high } = heightsOf(overview, view);
  const caption = [captionOf(overview, view), part.foundText(groups)].join("; ");
  return { overview, looks, view, caption, digits: digitsBetween(low, high) };
}
