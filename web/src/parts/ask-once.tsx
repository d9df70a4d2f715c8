import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { useAct } from "./use-act.ts";

interface Props {
  title: string;
  /** What it does, on its button: "Revoke". */
  verb: string;
  /** What ends by it, and that nothing brings it back. */
  children: ComponentChildren;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** One question before something ends that cannot be undone. What fails is said in it. */
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
        {/* Enter must not end anything by itself. */}
        <button type="button" autofocus onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
