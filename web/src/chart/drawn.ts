import type { OverviewReply } from "@lossless/client";
import { digitsBetween } from "../parts/words.ts";
import { heightsOf } from "./axis-y.ts";
import { captionOf } from "./caption.ts";
import { ungroupedText, type Cut } from "./cut.ts";
import { grouped } from "./grouped.ts";
import { looksInOrder, type LineLook, type Member } from "./lines.ts";
import type { ChartView } from "./view.ts";

/** What a chart is drawn from. */
export interface Drawn {
  overview: OverviewReply;
  looks: readonly LineLook[];
  /** As it is drawn: without groups where these would not have all of their members. */
  view: ChartView;
  /** What it says below it. */
  caption: string;
  /** So many tell its values apart. */
  digits: number;
}

/** An answer as lines, or as the groups that they make. */
export function drawnOf(
  answer: OverviewReply,
  members: readonly Member[],
  asked: ChartView,
  cut: Cut | undefined,
): Drawn {
  const ungrouped = asked.group === undefined ? undefined : ungroupedText(answer, cut);
  const view = ungrouped === undefined ? asked : { ...asked, group: undefined };
  const { group, band, split } = view;
  const { overview, looks } =
    group === undefined
      ? { overview: answer, looks: looksInOrder(answer, members, split.kind === "together") }
      : grouped(answer, members, group, band);
  const { low, high } = heightsOf(overview, view);
  const caption = captionOf(overview, view, cut, ungrouped);
  return { overview, looks, view, caption, digits: digitsBetween(low, high) };
}
