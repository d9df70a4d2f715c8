import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { useAct } from "./use-act.ts";

interface Props {
  title: string;
  /** The word on the confirming button: "Revoke". */
  verb: string;
  /** Consequences of the action, which cannot be undone. */
  children: ComponentChildren;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks for confirmation of an action that cannot be undone. A failure is shown in the dialog. */
export function AskOnce({ title, verb, children, onConfirm, onClose }: Props) {
  const { isBusy, problem, act } = useAct();
  const confirm = async () => {
    if (await act(onConfirm)) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p class="actions">
        <button type="button" class="end" disabled={isBusy} onClick={() => void confirm()}>
          {verb}
        </button>
        {/* Enter alone must not confirm anything. */}
        <button type="button" autofocus onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
