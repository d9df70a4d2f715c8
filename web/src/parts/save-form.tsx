import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { messageOf } from "./words.ts";

interface Props {
  /** What the button says that does it. */
  action: string;
  /** What it throws is told; whoever is done closes what the form is in. */
  save: () => Promise<void>;
  /** Beside the button. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

/** Fields, and a button that waits for the service; Ctrl and Enter in any of them presses it. */
export function SaveForm({ action, save, more, children }: Props) {
  const [isSaving, setIsSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async () => {
    if (isSaving) return;
    setIsSaving(true);
    setProblem(undefined);
    try {
      await save();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setIsSaving(false);
  };
  return (
    <form
      class="save"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        const isPress = event.key === "Enter" && (event.ctrlKey || event.metaKey);
        if (isPress) event.currentTarget.requestSubmit();
      }}
    >
      {children}
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p class="choices">
        <button type="submit" class="strong" aria-disabled={isSaving}>
          {isSaving ? `${action} …` : action}
        </button>
        {more}
      </p>
    </form>
  );
}
