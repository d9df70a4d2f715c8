import { type Report, SavedConflictError } from "@lossless/client";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { pause } from "../../../parts/pause.ts";
import { messageOf } from "../../../parts/words.ts";
import type { Service } from "../../../signed-in.ts";
import type { ReportPictures } from "../pictures/report-pictures.ts";
import { blocksOf, type DraftBlock, missingIn } from "../report-draft.ts";

interface Saving {
  report: Report;
  /** The revision from which the draft was made. */
  seen: number;
  name: string;
  draft: readonly DraftBlock[];
  pictures: ReportPictures;
  /** Called with whether nothing was written since the request. */
  onSaved: (report: Report, isDone: boolean) => void;
}

/** Saves by the button or its keys, and never overwrites another member's change unannounced. */
export function useSaving(service: Service, saving: Saving) {
  const { report, pictures, onSaved } = saving;
  const [seen, setSeen] = useState(saving.seen);
  const [problem, setProblem] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  const latest = useRef({ ...saving, problem });
  latest.current = { ...saving, problem };
  /** Resolves to the block that is not complete. */
  const save = async (): Promise<number | undefined> => {
    if (isSaving) return undefined;
    setIsSaving(true);
    if (pictures.sending.value > 0) {
      setProblem(undefined);
      while (pictures.sending.value > 0) await pause(50, new AbortController().signal);
      // A picture was refused: whoever saves should know it before the editor closes.
      if (latest.current.problem !== undefined) return (setIsSaving(false), undefined);
    }
    const { draft, name } = latest.current;
    const missing = missingIn(draft);
    setProblem(missing?.sentence);
    if (missing !== undefined) return (setIsSaving(false), missing.key);
    try {
      const own = name.trim();
      const renamed = own !== "" && own !== report.name && { name: own };
      const change = { blocks: blocksOf(draft), ...renamed };
      const saved = await service.client.reports.change({ id: report.id, revision: seen }, change);
      setSeen(saved.revision);
      setIsSaving(false);
      onSaved(saved, latest.current.draft === draft && latest.current.name === name);
    } catch (error) {
      setIsSaving(false);
      if (!(error instanceof SavedConflictError)) return (setProblem(messageOf(error)), undefined);
      // The person now knows of the conflict, so saving again overwrites.
      setSeen(error.present.revision);
      const choice = "Save overwrites the other version, Cancel shows it.";
      setProblem(`${messageOf(error)} Your changes are still here. ${choice}`);
    }
    return undefined;
  };
  return { save, problem, isSaving, setProblem };
}

const typed = "input, textarea, select, dialog";

/**
 * Saves by Ctrl and S; Ctrl and Z takes a step back, with Shift makes it again, except in a field,
 * which has its own.
 */
export function useKeys(actions: Record<"save" | "undo" | "redo", () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, shiftKey, altKey } = event;
      if (!(ctrlKey || metaKey) || altKey) return;
      const isTyped = target instanceof Element && target.closest(typed) !== null;
      const action = actionOf(key.toLowerCase(), shiftKey);
      if (action === undefined || (action !== "save" && isTyped)) return;
      event.preventDefault();
      latest.current[action]();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

function actionOf(key: string, isShifted: boolean): "save" | "undo" | "redo" | undefined {
  if (key === "z") return isShifted ? "redo" : "undo";
  return key === "s" && !isShifted ? "save" : undefined;
}
