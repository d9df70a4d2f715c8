import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

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

/** Buttons shown on demand: Escape, a choice, or leaving the menu closes it. */
export function Menu({ sign, label, place = "buttons", staysOpen, onOpen, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      class="menu"
      data-place={place}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        setIsOpen(currentTarget.open);
        onOpen?.(currentTarget.open);
        currentTarget.dataset["opens"] =
          place !== "pages" && opensUp(currentTarget) ? "up" : "down";
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        setIsOpen(false);
        event.currentTarget.querySelector("summary")?.focus();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isInside) setIsOpen(false);
      }}
    >
      <summary aria-label={label}>{sign}</summary>
      <div
        // Before the choice opens a dialog, which gives the focus back to where it was.
        onClickCapture={({ currentTarget }) => {
          if (!staysOpen && currentTarget.contains(document.activeElement))
            currentTarget.closest("details")!.querySelector("summary")!.focus();
        }}
        onClick={() => staysOpen || setIsOpen(false)}
      >
        {children}
      </div>
    </details>
  );
}

/** Whether an open menu would end below the window, and has room above its button. */
function opensUp(menu: HTMLDetailsElement): boolean {
  const { height } = menu.querySelector(":scope > div")!.getBoundingClientRect();
  const { top, bottom } = menu.querySelector("summary")!.getBoundingClientRect();
  return bottom + height > window.innerHeight && top > height;
}
