import type { CellValue } from "./cell-text.ts";
import type { Column } from "./columns.ts";

/** From so many rows on it is worth a line to say what all have in common. */
const rowsMin = 3;

/**
 * Columns of meta, metrics and folders that have the same in all rows tell no two of them apart:
 * they fold into one line. Only of rows that were all read something is said.
 */
export function equalColumns(
  columns: readonly Column[],
  rows: readonly { values: readonly CellValue[] }[],
): Map<Column, CellValue> {
  const equal = new Map<Column, CellValue>();
  if (rows.length < rowsMin) return equal;
  for (const [at, column] of columns.entries()) {
    const { kind } = column;
    if (kind.kind === "own" && kind.name !== "folder") continue;
    const value = rows[0].values[at];
    if (rows.every(({ values }) => values[at] === value)) equal.set(column, value);
  }
  return equal;
}
