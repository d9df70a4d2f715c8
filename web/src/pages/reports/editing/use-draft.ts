import type { ReportBlock } from "@lossless/client";
import { useRef, useState } from "preact/hooks";
import { type DraftBlock, draftOf, replaced } from "../report-draft.ts";
import { completed, edited, ended, firstSteps, redone, undone } from "./draft-steps.ts";

export type ChangeDraft = (change: (draft: readonly DraftBlock[]) => readonly DraftBlock[]) => void;

/** A draft with its edits, each step of which can be taken back. */
export interface Draft {
  blocks: readonly DraftBlock[];
  /** A block with a key that no other one has had. */
  made: (block: ReportBlock) => DraftBlock;
  /** Makes a step: the draft after it. */
  change: (next: readonly DraftBlock[]) => void;
  /** Writes in one block: one step until another block is opened. */
  write: (key: number, block: ReportBlock) => void;
  /** Puts what was read or sent meanwhile into the draft, which is no step. */
  complete: ChangeDraft;
  /** Ends the step that is being written. */
  end: () => void;
  undo: () => void;
  canUndo: boolean;
  /** Makes the step again that was taken back last. */
  redo: () => void;
  canRedo: boolean;
}

export function useDraft(first: readonly ReportBlock[]): Draft {
  const [steps, setSteps] = useState(() => firstSteps(draftOf(first)));
  const nextKey = useRef(first.length);
  return {
    blocks: steps.draft,
    made: (block) => ({ key: nextKey.current++, block }),
    change: (next) => setSteps((now) => edited(now, next, undefined)),
    write: (key, block) =>
      setSteps((now) => edited(now, replaced(now.draft, key, block), String(key))),
    complete: (change) => setSteps((now) => completed(now, change)),
    end: () => setSteps(ended),
    undo: () => setSteps(undone),
    canUndo: steps.before.length > 0,
    redo: () => setSteps(redone),
    canRedo: steps.after.length > 0,
  };
}
