import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Props {
  /** What is seen of it while it is closed. */
  sign: ComponentChildren;
  label: string;
  /** Among buttons, in the corner of what it is about, or in the bar above all pages. */
  place?: "buttons" | "corner" | "pages";
  /** What is chosen may take a while, and fail: then it says so in the menu. */
  staysOpen?: boolean;
  children: ComponentChildren;
}

/** Buttons that are seen when they are wanted: Escape, a choice, or leaving it closes it. */
export function Menu({ sign, label, place = "buttons", staysOpen, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      class="menu"
      data-place={place}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
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
      <div onClick={() => staysOpen || setIsOpen(false)}>{children}</div>
    </details>
  );
}
