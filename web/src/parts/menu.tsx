import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  /** Content of the closed menu's button. */
  sign: ComponentChildren;
  label: string;
  /** Place of the button: among buttons, in a corner, or in the bar above all pages. */
  place?: "buttons" | "corner" | "pages";
  /** Stays open after a choice that takes a while and may fail, which is then shown in the menu. */
  staysOpen?: boolean;
  /** For content that is there only while the menu is open. */
  onOpen?: (isOpen: boolean) => void;
  children: ComponentChildren;
}

/** Buttons shown on demand: Escape, a choice, a click elsewhere or leaving it by Tab closes it. */
export function Menu({ sign, label, place = "buttons", staysOpen, onOpen, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const menu = useRef<HTMLDetailsElement>(null);
  // At once, and not with the browser's event of it: the next press may come before that.
  const turn = (next: boolean): void => {
    setIsOpen(next);
    onOpen?.(next);
  };
  const latest = useRef(turn);
  latest.current = turn;
  useLayoutEffect(() => {
    if (!isOpen) return;
    const isUp = place !== "pages" && opensUp(menu.current!);
    menu.current!.dataset["opens"] = isUp ? "up" : "down";
    return onceElsewhere(menu.current!, () => latest.current(false));
  }, [isOpen]);
  return (
    <details
      class="menu"
      ref={menu}
      data-place={place}
      open={isOpen}
      // A browser opens it for words that are searched in the page.
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) turn(currentTarget.open);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        turn(false);
        event.currentTarget.querySelector("summary")?.focus();
      }}
      // Nothing gets the focus where the focused choice is gone, or another window is opened.
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (isOpen && relatedTarget instanceof Node && !currentTarget.contains(relatedTarget))
          turn(false);
      }}
    >
      <summary
        aria-label={label}
        onClick={(event) => {
          event.preventDefault();
          turn(!isOpen);
        }}
      >
        {sign}
      </summary>
      <div
        // A click between the choices leaves the focus in the menu.
        tabIndex={-1}
        // Before the choice opens a dialog, which gives the focus back to where it was.
        onClickCapture={({ currentTarget }) => {
          if (!staysOpen && currentTarget.contains(document.activeElement))
            currentTarget.closest("details")!.querySelector("summary")!.focus();
        }}
        onClick={() => staysOpen || turn(false)}
      >
        {children}
      </div>
    </details>
  );
}

/** Closes a menu when somebody clicks elsewhere, also where nothing takes the focus. */
function onceElsewhere(menu: HTMLDetailsElement, close: () => void): () => void {
  const press = ({ target }: Event): void => {
    if (target instanceof Node && menu.contains(target)) return;
    close();
    // After the press has moved the focus: if nobody took it, the button of the menu has it.
    setTimeout(() => {
      if (document.activeElement === document.body)
        menu.querySelector("summary")?.focus({ preventScroll: true });
    });
  };
  // A frame keeps the clicks in it.
  const leave = (): void => {
    if (document.activeElement instanceof HTMLIFrameElement) close();
  };
  document.addEventListener("mousedown", press, true);
  window.addEventListener("blur", leave);
  return () => {
    document.removeEventListener("mousedown", press, true);
    window.removeEventListener("blur", leave);
  };
}

/** Whether an open menu would end below the window, and has room above its button. */
function opensUp(menu: HTMLDetailsElement): boolean {
  const { height } = menu.querySelector(":scope > div")!.getBoundingClientRect();
  const { top, bottom } = menu.querySelector("summary")!.getBoundingClientRect();
  return bottom + height > window.innerHeight && top > height;
}
