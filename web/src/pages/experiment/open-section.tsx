import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Section } from "./sections.ts";

interface Props {
  section: Section;
  children: (seriesName: string) => ComponentChildren;
}

/** A section of charts; a closed one draws nothing. */
export function OpenSection({ section: { name, series, isClosed }, children }: Props) {
  const [isOpen, setIsOpen] = useState(!isClosed);
  return (
    <details
      class="section"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        {name} <span class="count">{series.length}</span>
      </summary>
      {isOpen && <div class="charts">{series.map(children)}</div>}
    </details>
  );
}
