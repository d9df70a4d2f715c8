import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Props {
  /** What is seen of it while it is closed. */
  sign: string;
  label: string;
  children: ComponentChildren;
}

/** Buttons that are seen when they are wanted: Escape, a choice, or leaving it closes it. */
export function Menu({ sign, label, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      class="menu inline"
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
      <div onClick={() => setIsOpen(false)}>{children}</div>
    </details>
  );
}
