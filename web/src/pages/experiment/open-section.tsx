import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { MediaPart } from "../../media/media-part.tsx";
import type { Media } from "../../media/use-media.ts";
import type { PageProps } from "../../page.ts";
import type { Section } from "./sections.ts";

/** Parts of a layout that sections show. */
export interface Arrangement {
  /** Charts side by side; undefined: by the width. */
  columns?: number | undefined;
  /** Controls in the heading of a section. */
  tools?: ((section: Section) => ComponentChildren) | undefined;
  onToggled?: ((section: Section, isOpen: boolean) => void) | undefined;
}

interface Props extends Arrangement {
  section: Section;
  children: (seriesName: string, section: Section) => ComponentChildren;
}

interface SectionsProps extends PageProps, Arrangement, Pick<Props, "children"> {
  sections: readonly Section[];
  media: Media;
}

/** The sections of charts, with the media before the closed ones at the end. */
export function OpenSections(props: SectionsProps) {
  const { sections, media, children, service, location, ...arrangement } = props;
  const end = sections.findLastIndex(({ isClosed }) => !isClosed) + 1;
  const all = sections.map((section) => (
    <OpenSection key={section.name} section={section} {...arrangement}>
      {children}
    </OpenSection>
  ));
  return (
    <>
      {all.slice(0, end)}
      <MediaPart {...{ service, location }} {...media} />
      {all.slice(end)}
    </>
  );
}

/** A section of charts; a closed one draws nothing. */
function OpenSection({ section, children, columns, tools, onToggled }: Props) {
  const { name, series, isClosed } = section;
  const [isOpen, setIsOpen] = useState(!isClosed);
  return (
    <details
      class="section"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) onToggled?.(section, open);
        setIsOpen(open);
      }}
    >
      <summary>
        {name} <span class="count">{series.length}</span>
      </summary>
      {tools?.(section)}
      {isOpen && (
        <div
          class={columns === undefined ? "charts" : "charts columned"}
          style={columns === undefined ? undefined : { "--columns": columns }}
        >
          {series.map((name) => children(name, section))}
        </div>
      )}
    </details>
  );
}
