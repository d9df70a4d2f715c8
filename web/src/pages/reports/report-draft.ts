import type { ReportBlock } from "@lossless/client";

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

/** Inserts a block after the one with a key, or at the end. */
export function inserted(
  draft: readonly DraftBlock[],
  block: ReportBlock,
  behind?: number,
): DraftBlock[] {
  const key = 1 + Math.max(-1, ...draft.map((one) => one.key));
  const found = draft.findIndex((one) => one.key === behind);
  const at = found < 0 ? draft.length : found + 1;
  return draft.toSpliced(at, 0, { key, block });
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
  // A block made since may have its key, of which there is one.
  const isTaken = draft.some(({ key }) => key === one.key);
  const key = isTaken ? 1 + Math.max(...draft.map((each) => each.key)) : one.key;
  return draft.toSpliced(at, 0, { ...one, key });
}

export const emptyBlocks = {
  text: { kind: "text", markdown: "" },
  chart: { kind: "chart", query: "", seriesName: "", title: "", view: "" },
  table: { kind: "table", query: "", columns: "status, began", sort: "created desc", limit: 10 },
  media: { kind: "media", experimentIds: [], media: "image", name: "", title: "" },
} as const satisfies Record<ReportBlock["kind"], ReportBlock>;

/** A new block. A chart or a table begins with the experiments of the last one before it. */
export function newBlock(kind: ReportBlock["kind"], draft: readonly DraftBlock[]): ReportBlock {
  const empty = emptyBlocks[kind];
  if (empty.kind !== "chart" && empty.kind !== "table") return empty;
  const last = blocksOf(draft).findLast((one) => one.kind === "chart" || one.kind === "table");
  const { query, folderId } = last ?? {};
  if (query !== undefined) return { ...empty, query, ...(folderId !== undefined && { folderId }) };
  if (empty.kind === "table" || last?.kind !== "chart") return empty;
  const { query: _, ...chart } = empty;
  return last.experimentIds === undefined ? empty : { ...chart, experimentIds: last.experimentIds };
}

/** Says what the first block that shows nothing needs; undefined: each shows something. */
export function missingIn(draft: readonly DraftBlock[]): string | undefined {
  for (const [at, { block }] of draft.entries()) {
    const missing = missingOf(block);
    if (missing === undefined) continue;
    return `Block ${at + 1}, ${block.kind}, is not complete: choose ${missing}, or remove it.`;
  }
  return undefined;
}

function missingOf(block: ReportBlock): string | undefined {
  if (block.kind === "chart") return block.seriesName === "" ? "a series" : undefined;
  if (block.kind !== "media") return undefined;
  const missing = [
    ...(block.experimentIds.length === 0 ? ["experiments"] : []),
    ...(block.name === "" ? ["what they logged"] : []),
  ];
  return missing.length === 0 ? undefined : missing.join(" and ");
}
