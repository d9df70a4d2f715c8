import type { ComponentChildren } from "preact";
import { useAct } from "./use-act.ts";

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
  const { isBusy, problem, act } = useAct();
  return (
    <form
      class="save-form"
      onSubmit={(event) => {
        event.preventDefault();
        void act(save);
      }}
      onKeyDown={(event) => {
        const isPress = event.key === "Enter" && (event.ctrlKey || event.metaKey);
        if (isPress) event.currentTarget.requestSubmit();
      }}
    >
      {children}
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p class="choices">
        <button type="submit" class="strong" aria-disabled={isBusy}>
          {isBusy ? `${action} …` : action}
        </button>
        {more}
      </p>
    </form>
  );
}
