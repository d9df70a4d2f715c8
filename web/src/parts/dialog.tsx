import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * A modal dialog: the browser keeps the focus in it; Escape or a click on the backdrop closes it.
 */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  /**
   * Whether the press began on the backdrop: a drag out of a field that ends there must not close.
   */
  const isPressed = useRef(false);
  /** The event of closing comes later, when another dialog may be open. */
  const isGone = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    element.querySelector<HTMLElement>("input, textarea")?.focus();
    return () => {
      isGone.current = true;
      // Restores the focus, which removing the element would not do.
      element.close();
    };
  }, []);
  return (
    <dialog
      class="in-front"
      ref={dialog}
      aria-label={title}
      onClose={() => isGone.current || onClose()}
      onPointerDown={(event) => void (isPressed.current = event.target === dialog.current)}
      onClick={(event) => isPressed.current && event.target === dialog.current && onClose()}
    >
      <div class="dialog">
        <header>
          <h2>{title}</h2>
          <button type="button" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
