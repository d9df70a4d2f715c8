import type { ComponentChildren } from "preact";
import { useAct } from "./use-act.ts";
import { withoutReload } from "./without-reload.ts";

interface Props {
  /** Label of the button. */
  action: string;
  /** Saves the form; an error is shown. On success the caller closes the form. */
  save: () => Promise<void>;
  /** Content beside the button. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

/** A form with a button that waits for the service; Ctrl and Enter in any field press it. */
export function SaveForm({ action, save, more, children }: Props) {
  const { isBusy, problem, act } = useAct();
  return (
    <form
      class="save-form"
      onSubmit={withoutReload(() => act(save))}
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
