import type { CellValue } from "./cell-text.ts";
import type { Column } from "./columns.ts";

/** Rows from which a line about common values is worthwhile. */
const rowsMin = 3;

/**
 * Columns of meta, metrics and folders with the same value in all rows, which fold into one line.
 * None before all rows are read.
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
