import type { Column } from "./column.ts";

/** The heads of the experiments' columns. */
export function Heads({ columns }: { columns: readonly Column[] }) {
  return columns.map(({ experimentId, title, kind, isReference }) => (
    <th key={experimentId} scope="col" data-reference={isReference}>
      <a href={`/experiments/${encodeURIComponent(experimentId)}`} title={title}>
        {kind !== undefined && (
          <i class={`swatch line-${kind.colour} pattern-${kind.pattern}`} aria-hidden="true" />
        )}
        <bdi>{title}</bdi>
      </a>
      {isReference && <small>ref</small>}
    </th>
  ));
}
