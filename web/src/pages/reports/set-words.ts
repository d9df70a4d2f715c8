import type { ChartBlock, TableBlock } from "@lossless/protocol";
import { countedText } from "../../parts/words.ts";
import { emptyBlocks } from "./report-draft.ts";

/** What a chart's settings change, in words. */
export function chartWords(
  { sort, folderId, referenceId, view }: ChartBlock,
  nameOf: (experimentId: string) => string,
): string[] {
  const drawn = [...new URLSearchParams(view)].map(
    ([name, value]) => `${viewNames[name] ?? name} ${value}`,
  );
  return [
    ...inFolder(folderId),
    ...(sort === undefined ? [] : [`sorted by ${sort}`]),
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
  group: "group by",
};
