import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** In front of the page: the browser keeps the keyboard in it; Escape or its ground closes it. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** Who drags a selection out of a field lets go on the ground, and does not mean to close. */
  const isPressed = useRef(false);
  /** That it was closed is told later, when another one may be open. */
  const isGone = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    element.querySelector<HTMLElement>("input, textarea")?.focus();
    return () => {
      isGone.current = true;
      // It gives the keyboard back to where it was, which an element that is only removed does not.
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
