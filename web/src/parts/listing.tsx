import type { ComponentChildren } from "preact";

interface Props {
  /** Name of the table. */
  label: string;
  /** Column heads; an empty one is not shown. */
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ComponentChildren[] }[];
  /** Text shown without rows. */
  empty: string;
}

/**
 * A table of up to a few hundred rows. On a narrow screen rows are blocks, in which each cell shows
 * the name of its column. Roles are explicit, because a block is no row by itself.
 */
export function Listing({ label, columns, rows, empty }: Props) {
  if (rows.length === 0) return <p class="none">{empty}</p>;
  return (
    <table class="listing" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column, at) => (
            <th key={at} role="columnheader" scope="col">
              {column === "" ? <span class="unseen">actions</span> : column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(({ key, cells }) => (
          <tr key={key} role="row">
            {cells.map((cell, at) => (
              <td
                key={at}
                role="cell"
                data-label={columns[at]}
                class={cell === null || cell === false ? "without" : undefined}
              >
                <div class="cell">{cell}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
