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

export function removed(draft: readonly DraftBlock[], key: number): DraftBlock[] {
  return draft.filter((one) => one.key !== key);
}

export const emptyBlocks = {
  text: { kind: "text", markdown: "" },
  chart: { kind: "chart", query: "", seriesName: "", title: "", view: "" },
  table: { kind: "table", query: "", columns: "status, began", sort: "created desc", limit: 10 },
} as const satisfies Record<ReportBlock["kind"], ReportBlock>;
