import type { TableRow } from "@lossless/protocol";
import type { ComponentChildren } from "preact";
import { kindsOf } from "../../chart/lines/colours.ts";
import { CutName } from "../../parts/cut-name.tsx";
import type { ListedNames } from "../../parts/listed-names.ts";
import { unmarked } from "../../parts/unmarked.ts";
import { tabAddress } from "../experiment/tabs.ts";

interface Props {
  content: TableRow;
  /** The names of the table. */
  names: ListedNames;
  isBaseline: boolean;
  /** The field in which the name is changed. */
  field: ComponentChildren;
  /** Undefined: the reader may not choose its colour. */
  onColour: ((experimentIds: readonly string[]) => void) | undefined;
}

/** The name of an experiment, with its colour, slug and description or error. */
export function NameCell({ content, isBaseline, field, onColour, names }: Props) {
  const { experimentId, slug, name, colour: chosen = 0, description, error } = content;
  const shown = name ?? slug;
  const { colour } = kindsOf([experimentId], new Map([[experimentId, chosen]])).get(experimentId)!;
  const about = error ?? description;
  return (
    <>
      {onColour === undefined ? (
        <span class={`dot line-${colour}`} aria-hidden="true">
          ●
        </span>
      ) : (
        <button
          type="button"
          class={`dot line-${colour}`}
          tabIndex={-1}
          aria-label={`Colour of ${shown}`}
          title="Choose its colour"
          onClick={() => onColour([experimentId])}
        >
          ●
        </button>
      )}
      {field ?? (
        <a
          href={tabAddress(experimentId, "charts")}
          tabIndex={-1}
          title={shown}
          aria-label={shown}
          draggable={false}
          onClick={openUnlessSelected}
        >
          <CutName name={shown} names={names} />
        </a>
      )}
      {isBaseline && <span class="role">baseline</span>}
      {name !== null && name !== slug && (
        <bdi class="slug" title={slug}>
          {slug}
        </bdi>
      )}
      <bdi class={error === null ? "about" : "about bad"} title={about}>
        {error ?? unmarked(description)}
      </bdi>
    </>
  );
}

/** Prevents opening when a part of the name was just selected, to be copied. */
function openUnlessSelected(event: MouseEvent): void {
  if (getSelection()?.isCollapsed === false) event.preventDefault();
}
