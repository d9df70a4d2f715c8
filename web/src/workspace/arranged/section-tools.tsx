import { useState } from "preact/hooks";
import type { Section } from "../../pages/experiment/sections.ts";
import type { ChartsWorkspace } from "../use-workspace.ts";
import { withMovedSection, withoutSection, withSection } from "./edits.ts";
import { NewSection } from "./new-section.tsx";
import { hiddenName, pinnedName } from "./placed.ts";

interface Props {
  section: Section;
  sections: readonly Section[];
  workspace: ChartsWorkspace;
  names: readonly string[];
}

/** Moves, names and removes a section. */
export function SectionTools({ section: { name, series }, sections, workspace, names }: Props) {
  const { layout, edit } = workspace;
  const [isOpen, setIsOpen] = useState(false);
  if (name === pinnedName || name === hiddenName) return null;
  const known = layout.sections?.find((section) => section.name === name);
  const move = (by: 1 | -1) => edit(withMovedSection(layout, sections, name, by));
  // Without patterns of its own a section has those of the first part of a name.
  const usual = series.some((key) => key.startsWith(`${name}/`)) ? [`${name}/*`] : [];
  return (
    <span class="section-tools">
      <button type="button" aria-label={`Move ${name} up`} onClick={() => move(-1)}>
        ↑
      </button>
      <button type="button" aria-label={`Move ${name} down`} onClick={() => move(1)}>
        ↓
      </button>
      <button
        type="button"
        aria-label={`Settings of the section ${name}`}
        onClick={() => setIsOpen(true)}
      >
        settings…
      </button>
      {known !== undefined && (
        <button
          type="button"
          aria-label={`Remove the section ${name}`}
          onClick={() => edit(withoutSection(layout, name))}
        >
          remove
        </button>
      )}
      {isOpen && (
        <NewSection
          names={names}
          given={{ name, patterns: known?.patterns ?? usual }}
          onMade={(section) => {
            edit(withSection(layout, name, section));
            setIsOpen(false);
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </span>
  );
}
