import type { ChartBlock } from "@lossless/protocol";
import type { OverviewReply } from "@lossless/client";
import type { Found } from "../../chart/groups/found-groups.ts";
import { seriesNamesText } from "../../chart/series-names.ts";
import { viewOf, type ChartView } from "../../chart/view.ts";
import { countedText, timeText } from "../../parts/words.ts";
import { viewText } from "../../saved/chart-block.ts";
import { sortIn, type CompareAddress } from "../compare/compare-address.ts";
import { type Chosen, foundWords } from "./chosen-block.ts";

/** The appearance of a block, read as by its chart's page: several series are not grouped. */
export function viewOfBlock({ view, operator, otherSeriesNames = [] }: ChartBlock): ChartView {
  const parameters = new URLSearchParams(view);
  const read = viewOf((name) => parameters.get(name) ?? undefined);
  return otherSeriesNames.length > 0 && operator === undefined
    ? { ...read, group: undefined }
    : read;
}

/** The experiments of a block, in the terms of the comparing page. */
export function askedBy(
  block: Chosen & Pick<ChartBlock, "referenceId">,
): Omit<CompareAddress, "marked"> {
  const { experimentIds, query = "", folderId: folder, sort, referenceId: reference } = block;
  const shown = { hidden: new Set<string>(), reference };
  if (experimentIds === undefined)
    return { asked: { kind: "query", query, sort: sortIn(sort), folder }, ...shown };
  const ids = experimentIds.length === 0 ? [""] : experimentIds;
  return { asked: { kind: "ids", ids }, ...shown };
}

/** All that a block finds, over which its groups are made. */
export function foundByBlock({ experimentIds, query = "", folderId }: ChartBlock): Found {
  return experimentIds === undefined ? { query, folderId } : { experimentIds };
}

export function titleOf({ title, view, seriesName, ...block }: ChartBlock): string {
  if (title !== "") return title;
  const { otherSeriesNames = [], operator } = block;
  const names = seriesNamesText([seriesName, ...otherSeriesNames], operator);
  const only = new URLSearchParams(view).get("only");
  return only === null ? names : `${names} · ${only}`;
}

/** Pins a block: its present experiments, range and groups stay. */
export function pinnedBlock(
  block: ChartBlock,
  experimentIds: string[],
  { start, end, points }: OverviewReply,
  group: ChartView["group"],
  nowMs: number,
): ChartBlock {
  const { query: _query, folderId: _folderId, sort: _sort, ...rest } = block;
  const view = viewText({ ...viewOfBlock(block), range: { start, end }, group });
  return { ...rest, experimentIds, view, pinned: { atMs: nowMs, points } };
}

/**
 * Whether the content may change, or since when it is pinned. `folder` is the path of its folder.
 */
export function standingText(
  block: ChartBlock,
  { points, running, folder }: { points: number | undefined; running: number; folder: string },
): string {
  const { pinned, experimentIds } = block;
  if (pinned !== undefined) {
    const more = points === undefined ? 0 : points - pinned.points;
    const since = more === 0 ? "" : `, ${countedText(more, "more point")} since`;
    return `as of ${timeText(pinned.atMs)}${since}`;
  }
  if (experimentIds !== undefined) return running > 0 ? "live" : "";
  return `live: ${foundWords(block, folder)}`;
}
