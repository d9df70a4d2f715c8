import { CutName } from "../../../parts/cut-name.tsx";
import type { Column } from "./column.ts";

/** Heads of the experiments' columns. */
export function Heads({ columns }: { columns: readonly Column[] }) {
  return columns.map(({ experimentId, title, kind, isReference }) => (
    <th key={experimentId} scope="col" data-reference={isReference}>
      <a href={`/experiments/${encodeURIComponent(experimentId)}`} title={title} aria-label={title}>
        {kind !== undefined && (
          <i class={`swatch line-${kind.colour} pattern-${kind.pattern}`} aria-hidden="true" />
        )}
        <CutName name={title} />
      </a>
      {isReference && <small>baseline</small>}
    </th>
  ));
}
