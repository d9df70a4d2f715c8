import { useMemo } from "preact/hooks";
import { CutName } from "../../../parts/cut-name.tsx";
import { ListedNames } from "../../../parts/listed-names.ts";
import { measureOnPage } from "../../../parts/text-width.ts";
import type { Column } from "./column.ts";

/** The size of a head in rem. */
const headSize = 0.875;

/** Heads of the experiments' columns. */
export function Heads({ columns }: { columns: readonly Column[] }) {
  const names = useMemo(() => new ListedNames(columns.map(({ title }) => title)), [columns]);
  const widthOf = useMemo(() => measureOnPage(headSize), []);
  return columns.map(({ experimentId, title, kind, isReference }) => (
    <th key={experimentId} scope="col" data-reference={isReference}>
      <a
        href={`/experiments/${encodeURIComponent(experimentId)}`}
        title={title}
        aria-label={title}
        style={{ "--name": `${Math.ceil(widthOf(title))}px` }}
      >
        {kind !== undefined && (
          <i class={`swatch line-${kind.colour} pattern-${kind.pattern}`} aria-hidden="true" />
        )}
        <CutName name={title} names={names} />
      </a>
      {isReference && <small>baseline</small>}
    </th>
  ));
}
