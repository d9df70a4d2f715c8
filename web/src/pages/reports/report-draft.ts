import type { ReportBlock } from "@lossless/client";
import type { ChartBlock, MediaBlock, TableBlock } from "@lossless/protocol";

/** A report being edited: blocks have keys, so that fields keep their state when moved. */
export interface DraftBlock {
  key: number;
  block: ReportBlock;
}

export function draftOf(blocks: readonly ReportBlock[]): DraftBlock[] {
  return blocks.map((block, key) => ({ key, block }));
}

export function blocksOf(draft: readonly DraftBlock[]): ReportBlock[] {
  return draft.map(({ block }) => block);
}

/** The folder of the last block that has one. */
export function lastFolderOf(draft: readonly DraftBlock[]): string | undefined {
  const ids = draft.flatMap(({ block }) => ("folderId" in block ? [block.folderId] : []));
  return ids.findLast((id) => id !== undefined);
}

/** Inserts a block before the one with a key, or at the end. */
export function inserted(
  draft: readonly DraftBlock[],
  one: DraftBlock,
  before?: number,
): DraftBlock[] {
  const found = draft.findIndex(({ key }) => key === before);
  return draft.toSpliced(found < 0 ? draft.length : found, 0, one);
}

/** Puts a copy of a block behind it. */
export function duplicated(
  draft: readonly DraftBlock[],
  key: number,
  copy: DraftBlock,
): DraftBlock[] {
  const at = draft.findIndex((one) => one.key === key);
  return draft.toSpliced(at + 1, 0, copy);
}

/** Moves a block by one place; not beyond the ends. */
export function moved(
  draft: readonly DraftBlock[],
  key: number,
  direction: 1 | -1,
): readonly DraftBlock[] {
  const at = draft.findIndex((one) => one.key === key);
  const to = at + direction;
  if (at < 0 || to < 0 || to >= draft.length) return draft;
  return draft.toSpliced(at, 1).toSpliced(to, 0, draft[at]);
}

/** Moves a block before or behind another one. */
export function dropped(
  draft: readonly DraftBlock[],
  key: number,
  over: number,
  isAfter: boolean,
): readonly DraftBlock[] {
  const one = draft.find((each) => each.key === key);
  if (one === undefined || key === over) return draft;
  const rest = removed(draft, key);
  const at = rest.findIndex((each) => each.key === over);
  return at < 0 ? draft : rest.toSpliced(isAfter ? at + 1 : at, 0, one);
}

export function replaced(
  draft: readonly DraftBlock[],
  key: number,
  block: ReportBlock,
): DraftBlock[] {
  return draft.map((one) => (one.key === key ? { key, block } : one));
}

/** A block as wide as the report, or half as wide. */
export function withWidth(block: ReportBlock, isHalf: boolean): ReportBlock {
  const { width: _, ...rest } = block;
  return isHalf ? { ...rest, width: "half" } : rest;
}

/** Gives a table other columns, unless somebody has changed them meanwhile. */
export function withColumns(
  draft: readonly DraftBlock[],
  key: number,
  before: string,
  columns: string,
): readonly DraftBlock[] {
  return draft.map((one) => {
    const isSame = one.key === key && one.block.kind === "table" && one.block.columns === before;
    return isSame ? { key, block: { ...(one.block as TableBlock), columns } } : one;
  });
}

/** Gives a chart a series, unless somebody has chosen one meanwhile. */
export function withSeries(
  draft: readonly DraftBlock[],
  key: number,
  seriesName: string,
): readonly DraftBlock[] {
  return draft.map((one) => {
    const isUnchosen = one.key === key && one.block.kind === "chart" && one.block.seriesName === "";
    return isUnchosen ? { key, block: { ...(one.block as ChartBlock), seriesName } } : one;
  });
}

/** Gives media what experiments logged first, unless somebody has chosen it meanwhile. */
export function withMedia(
  draft: readonly DraftBlock[],
  key: number,
  { kind, name }: { kind: MediaBlock["media"]; name: string },
): readonly DraftBlock[] {
  return draft.map((one) => {
    const isUnchosen = one.key === key && one.block.kind === "media" && one.block.name === "";
    return isUnchosen ? { key, block: { ...(one.block as MediaBlock), media: kind, name } } : one;
  });
}

export function removed(draft: readonly DraftBlock[], key: number): DraftBlock[] {
  return draft.filter((one) => one.key !== key);
}

/** A block that was removed, and the place where it stood. */
export interface RemovedBlock {
  one: DraftBlock;
  at: number;
}

/** Puts a removed block back to its place. */
export function restored(draft: readonly DraftBlock[], { one, at }: RemovedBlock): DraftBlock[] {
  return draft.toSpliced(at, 0, one);
}

/** Kinds of blocks that one adds; a formula is a text. */
export type AddedKind = ReportBlock["kind"] | "formula";

export const emptyBlocks = {
  text: { kind: "text", markdown: "" },
  chart: { kind: "chart", query: "", seriesName: "", title: "", view: "" },
  table: { kind: "table", query: "", columns: "status, began", sort: "created desc", limit: 10 },
  media: { kind: "media", query: "", media: "image", name: "", title: "" },
  formula: { kind: "text", markdown: "$$\n\n$$" },
} as const satisfies Record<AddedKind, ReportBlock>;

/** A new block: it begins with the experiments of the last one of those before it that has some. */
export function newBlock(kind: AddedKind, before: readonly DraftBlock[]): ReportBlock {
  const made = emptyBlocks[kind];
  if (made.kind === "text") return made;
  const last = blocksOf(before).findLast((one) => one.kind !== "text");
  const { query, folderId } = last ?? {};
  if (query !== undefined) return { ...made, query, ...(folderId !== undefined && { folderId }) };
  if (made.kind === "table" || last === undefined || last.kind === "table") return made;
  const { query: _, ...unasked } = made;
  return last.experimentIds === undefined
    ? made
    : { ...unasked, experimentIds: last.experimentIds };
}

/** Says what the first block that shows nothing needs; undefined: each shows something. */
export function missingIn(
  draft: readonly DraftBlock[],
): { key: number; sentence: string } | undefined {
  for (const [at, { key, block }] of draft.entries()) {
    const missing = missingOf(block);
    if (missing === undefined) continue;
    const title = `Block ${at + 1}, ${block.kind}`;
    return { key, sentence: `${title}, is not complete: choose ${missing}, or remove it.` };
  }
  return undefined;
}

function missingOf(block: ReportBlock): string | undefined {
  if (block.kind === "chart") return block.seriesName === "" ? "a series" : undefined;
  if (block.kind !== "media") return undefined;
  const missing = [
    ...(block.experimentIds?.length === 0 ? ["experiments"] : []),
    ...(block.name === "" ? ["what they logged"] : []),
  ];
  return missing.length === 0 ? undefined : missing.join(" and ");
}
