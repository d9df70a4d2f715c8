/** The focused cell of the table. Row -1 is the head. */
export interface CellPosition {
  row: number;
  column: number;
}

/** Columns before the chosen ones: the tick and the name. */
export const fixedColumns = 2;

/** Id of the element of a cell, for the table's active descendant. */
export function cellId({ row, column }: CellPosition): string {
  return `cell-${row}-${column}`;
}

/** The cell of an element with such an id. */
export function cellAt(id: string): CellPosition {
  const [, row, column] = /^cell-(-?\d+)-(\d+)$/.exec(id)!;
  return { row: Number(row), column: Number(column) };
}

export interface Extent {
  rows: number;
  columns: number;
  /** Rows that fit on the screen. */
  screen: number;
}

/** Whether the table handles a key. */
export function isGridKey(key: string): boolean {
  const anywhere = { rows: 1, columns: 1, screen: 1 };
  return (
    key === "Enter" || key === " " || moved(key, { row: 0, column: 0 }, anywhere) !== undefined
  );
}

/** The cell that a key leads to; undefined for a key that does not move. */
export function moved(key: string, place: CellPosition, extent: Extent): CellPosition | undefined {
  const { row, column } = place;
  const last = extent.rows - 1;
  const to = (nextRow: number, nextColumn = column): CellPosition => ({
    row: Math.min(Math.max(nextRow, -1), last),
    column: Math.min(Math.max(nextColumn, 0), extent.columns - 1),
  });
  switch (key) {
    case "ArrowDown":
    case "j":
      return to(row + 1);
    case "ArrowUp":
    case "k":
      return to(row - 1);
    case "ArrowLeft":
      return to(row, column - 1);
    case "ArrowRight":
      return to(row, column + 1);
    case "PageDown":
      return to(row + extent.screen);
    case "PageUp":
      return to(Math.max(row - extent.screen, 0));
    case "Home":
      return to(0);
    case "End":
      return to(last);
    default:
      return undefined;
  }
}
