import type { OverviewReply } from "@lossless/client";
import { digitsBetween } from "../parts/words.ts";
import { heightsOf } from "./axes/axis-y.ts";
import { captionOf } from "./caption.ts";
import { ungroupedText, type Cut } from "./cut.ts";
import { groupLines } from "./groups/group-lines.ts";
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

/** Prepares an overview for painting, as lines or as groups of them. */
export function chartDataOf(
  answer: OverviewReply,
  members: readonly Member[],
  asked: ChartView,
  cut: Cut | undefined,
): ChartData {
  const ungrouped = asked.group === undefined ? undefined : ungroupedText(answer, cut);
  const view = ungrouped === undefined ? asked : { ...asked, group: undefined };
  const { group, band, split } = view;
  const { overview, looks } =
    group === undefined
      ? {
          overview: withPasses(answer),
          looks: looksInOrder(answer, members, split.kind === "together"),
        }
      : groupLines(answer, members, group, band);
  const { low, high } = heightsOf(overview, view);
  const caption = captionOf(overview, view, cut, ungrouped);
  return { overview, looks, view, caption, digits: digitsBetween(low, high) };
}
