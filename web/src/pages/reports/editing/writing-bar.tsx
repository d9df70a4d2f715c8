import type { Draft } from "./use-draft.ts";

interface Props {
  draft: Draft;
  isSaving: boolean;
  isChanged: boolean;
  problem: string | undefined;
  onSave: () => void;
  onCancel: () => void;
}

/** Saves, leaves, and takes back; says what is not saved, and what went wrong. */
export function WritingBar({ draft, isSaving, isChanged, problem, onSave, onCancel }: Props) {
  return (
    <div class="actions bar-of-writing" role="group" aria-label="Writing">
      <button type="button" class="strong" disabled={isSaving} onClick={onSave}>
        Save
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      <button type="button" disabled={!draft.canUndo} onClick={draft.undo}>
        Undo
      </button>
      <button type="button" disabled={!draft.canRedo} onClick={draft.redo}>
        Redo
      </button>
      <span role="status">{isChanged ? "unsaved changes" : ""}</span>
      {problem !== undefined && <span role="alert">{problem}</span>}
    </div>
  );
}
