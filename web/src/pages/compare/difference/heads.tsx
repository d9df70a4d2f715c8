import { CutName } from "../../../parts/cut-name.tsx";
import { useMemo } from "preact/hooks";
import { ListedNames } from "../../../parts/listed-names.ts";
import type { Column } from "./column.ts";

/** Heads of the experiments' columns. */
export function Heads({ columns }: { columns: readonly Column[] }) {
  const names = useMemo(() => new ListedNames(columns.map(({ title }) => title)), [columns]);
  return columns.map(({ experimentId, title, kind, isReference }) => (
    <th key={experimentId} scope="col" data-reference={isReference}>
      <a
        href={`/experiments/${encodeURIComponent(experimentId)}`}
        title={title}
        aria-label={title}
        style={{ "--letters": title.length }}
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
