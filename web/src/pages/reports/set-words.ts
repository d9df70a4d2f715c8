import type { ChartBlock, MediaBlock, TableBlock } from "@lossless/protocol";
import { countedText } from "../../parts/words.ts";
import { emptyBlocks } from "./report-draft.ts";

/** Says what a chart's settings change. */
export function chartWords(block: ChartBlock, nameOf: (experimentId: string) => string): string[] {
  const { referenceId, view } = block;
  // Groups have a control of their own.
  const drawn = [...new URLSearchParams(view)]
    .filter(([name]) => name !== "group" && name !== "band")
    .map(([name, value]) => `${viewNames[name] ?? name} ${value}`);
  return [
    ...mediaWords(block),
    ...(referenceId === undefined ? [] : [`marks of ${nameOf(referenceId)}`]),
    ...drawn,
  ];
}

/** What a table's settings change, in words. */
export function tableWords({ folderId, limit }: TableBlock): string[] {
  return [
    ...inFolder(folderId),
    ...(limit === emptyBlocks.table.limit ? [] : [countedText(limit, "row")]),
  ];
}

/** The same of media. */
export function mediaWords({ folderId, sort }: Pick<MediaBlock, "folderId" | "sort">): string[] {
  return [...inFolder(folderId), ...(sort === undefined ? [] : [`sorted by ${sort}`])];
}

function inFolder(folderId: string | undefined): string[] {
  return folderId === undefined ? [] : ["in one folder"];
}

/** Parameters of a view as people know them; others are as they are written. */
const viewNames: Record<string, string> = {
  xs: "x scale",
  s: "smooth",
  r: "x from",
  yr: "y from",
  split: "one chart per",
};
