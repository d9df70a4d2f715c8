import { allColumns, firstRows, type Row, rowsMax, type RunTable, type Sheet } from "./sheet.ts";

/** The column that says whose row it is. */
export const runKey = " run";

/** Tables one below the other, with a column that says whose row it is if there are several. */
export function stackedSheet(tables: readonly RunTable[]): Sheet {
  const names = allColumns(tables);
  const areSeveral = tables.length > 1;
  const of = new Map<Row, number>();
  const parts = new Map<Row, Row>();
  const rows: Row[] = [];
  const rowsAtMost = rowsMax(names.length + 1);
  for (const [at, { name, columns, table }] of tables.entries()) {
    const places = names.map((each) => columns.indexOf(each));
    for (const logged of table.rows.slice(0, rowsAtMost - rows.length)) {
      const cells = places.map((place) => (place < 0 ? undefined : logged[place]));
      const row: Row = areSeveral ? [name, ...cells] : cells;
      of.set(row, at);
      parts.set(row, logged);
      rows.push(row);
    }
  }
  const columns = names.map((name) => ({ key: name, name }));
  const all = tables.reduce((sum, { table }) => sum + table.rows.length, 0);
  return {
    columns: areSeveral ? [{ key: runKey, name: "run" }, ...columns] : columns,
    rows,
    of,
    partOf: (row, at) => (of.get(row) === at ? parts.get(row) : undefined),
    notes: firstRows(rows.length, all),
  };
}
