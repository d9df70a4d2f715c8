import type { ChartBlock } from "@lossless/protocol";
import type { OverviewReply } from "@lossless/client";
import { viewOf, type ChartView } from "../../chart/view.ts";
import { countText, timeText } from "../../parts/words.ts";
import { viewText } from "../../saved/chart-block.ts";
import type { CompareAddress } from "../compare/compare-address.ts";

/** How a block is drawn, as its chart's page would read it. */
export function viewOfBlock({ view }: ChartBlock): ChartView {
  const parameters = new URLSearchParams(view);
  return viewOf((name) => parameters.get(name) ?? undefined);
}

/** Whose series it shows, as the comparing page asks for them. */
export function askedBy({ experimentIds, query }: ChartBlock): Omit<CompareAddress, "marked"> {
  const none = { hidden: new Set<string>(), reference: undefined };
  if (experimentIds !== undefined) {
    const ids = experimentIds.length === 0 ? [""] : experimentIds;
    return { asked: { kind: "ids", ids }, ...none };
  }
  const sort = [{ field: "created", descending: true }];
  return { asked: { kind: "query", query: query ?? "", sort, folder: undefined }, ...none };
}

export function titleOf({ title, seriesName, view }: ChartBlock): string {
  if (title !== "") return title;
  const only = new URLSearchParams(view).get("only");
  return only === null ? seriesName : `${seriesName} · ${only}`;
}

/** The block as it is at this moment: its experiments and its range stay these. */
export function pinnedBlock(
  block: ChartBlock,
  experimentIds: string[],
  { start, end, points }: OverviewReply,
  nowMs: number,
): ChartBlock {
  const { query: _, ...rest } = block;
  const view = viewText({ ...viewOfBlock(block), range: { start, end } });
  return { ...rest, experimentIds, view, pinned: { atMs: nowMs, points } };
}

/** Whether what it shows may change, and since when it does not. */
export function standingText(
  block: ChartBlock,
  points: number | undefined,
  running: number,
): string {
  const { pinned, query } = block;
  if (pinned !== undefined) {
    const more = points === undefined ? 0 : points - pinned.points;
    const since = more === 0 ? "" : `, ${countText(more)} points more since`;
    return `as of ${timeText(pinned.atMs)}${since}`;
  }
  if (query !== undefined)
    return query.trim() === "" ? "live: every experiment" : `live: what “${query}” finds`;
  return running > 0 ? "live" : "";
}
