import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { MediaPart } from "../../media/media-part.tsx";
import type { Media } from "../../media/use-media.ts";
import type { PageProps } from "../../page.ts";
import type { Section } from "./sections.ts";

interface Props {
  section: Section;
  children: (seriesName: string) => ComponentChildren;
}

interface SectionsProps extends PageProps, Pick<Props, "children"> {
  sections: readonly Section[];
  media: Media;
}

/** The sections of charts, with the media after those that are open at first. */
export function OpenSections({ sections, media, children, ...page }: SectionsProps) {
  const [open, closed] = [false, true].map((isClosed) =>
    sections
      .filter((section) => section.isClosed === isClosed)
      .map((section) => (
        <OpenSection key={section.name} section={section}>
          {children}
        </OpenSection>
      )),
  );
  return (
    <>
      {open}
      <MediaPart {...page} {...media} />
      {closed}
    </>
  );
}

/** A section of charts; a closed one draws nothing. */
function OpenSection({ section: { name, series, isClosed }, children }: Props) {
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
