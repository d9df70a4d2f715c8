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
  const close = useRef<HTMLButtonElement>(null);
  /**
   * Whether the press began on the backdrop: a drag out of a field that ends there must not close.
   */
  const isPressed = useRef(false);
  /** The event of closing comes later, when another dialog may be open. */
  const isGone = useRef(false);
  /** Whether a field has got the focus: one that waits for a reply comes later. */
  const isReady = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      isGone.current = true;
      // Restores the focus, which removing the element would not do.
      element.close();
    };
  }, []);
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isAtButton = activeElement === close.current || activeElement === dialog.current;
    const field = dialog.current!.querySelector<HTMLElement>("input, textarea");
    if (isReady.current || field === null || !isAtButton) return;
    field.focus();
    isReady.current = true;
  });
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
          <button type="button" ref={close} aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
