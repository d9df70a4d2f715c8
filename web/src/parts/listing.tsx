import type { ComponentChildren } from "preact";

interface Props {
  /** What is listed. */
  label: string;
  /** Heads; one that is "" has no name on the screen. */
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ComponentChildren[] }[];
  /** Said where there are no rows. */
  empty: string;
}

/**
 * A table of a few hundred rows, which on a narrow screen are blocks: then each cell says the name
 * of its column. Roles are written out, because a block is no row by itself.
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
