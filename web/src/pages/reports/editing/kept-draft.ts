import type { ReportBlock } from "@lossless/client";
import { useEffect } from "preact/hooks";
import { withoutPlaceholders } from "../pictures/taken-pictures.ts";
import { blocksOf, type DraftBlock } from "../report-draft.ts";

/** A draft that was not saved, as this tab of the browser keeps it. */
interface KeptDraft {
  /** Of the report from which it was made. */
  revision: number;
  name: string;
  blocks: ReportBlock[];
}

interface Unsaved extends Pick<KeptDraft, "revision" | "name"> {
  blocks: readonly DraftBlock[];
}

/** The text that was written in this tab before it was reloaded or crashed; undefined: nothing. */
export function keptDraft(report: string): KeptDraft | undefined {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(report)) ?? "null") as KeptDraft | null;
    if (kept === null) return undefined;
    // Pictures that were being sent are not sent any more.
    const blocks = kept.blocks.map((block) =>
      block.kind === "text" ? { ...block, markdown: withoutPlaceholders(block.markdown) } : block,
    );
    return { ...kept, blocks };
  } catch {
    return undefined;
  }
}

/** Keeps a draft as long as it is not saved and its page is not left; false: nothing is unsaved. */
export function useKeptDraft(report: string, unsaved: Unsaved | false): void {
  const text =
    unsaved === false
      ? undefined
      : JSON.stringify({ ...unsaved, blocks: blocksOf(unsaved.blocks) } satisfies KeptDraft);
  useEffect(() => {
    try {
      if (text === undefined) sessionStorage.removeItem(keyOf(report));
      else sessionStorage.setItem(keyOf(report), text);
    } catch {
      // A browser may keep nothing: then the draft is on the page alone.
    }
  }, [report, text]);
  // Whoever leaves has been asked.
  useEffect(() => () => sessionStorage.removeItem(keyOf(report)), [report]);
}

function keyOf(report: string): string {
  return `report ${report}`;
}
