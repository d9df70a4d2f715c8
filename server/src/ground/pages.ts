import { setImmediate } from "node:timers/promises";

/** Rows of the first page; later ones have about as many as have the wanted size together. */
const firstRows = 16;
const pageBytes = 262_144;

/**
 * Yields the rows of a long read, page by page, so that other work runs in between. `read` returns
 * the next rows, at most the given number; fewer mean the end. `sizeOf` estimates the bytes of a
 * row.
 */
export async function* pages<Row>(
  rowsMax: number,
  read: (limit: number) => Promise<Row[]>,
  sizeOf: (row: Row) => number,
): AsyncGenerator<Row[]> {
  for (let limit = firstRows; ;) {
    const rows = await read(limit);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    const fitting = Math.floor((rows.length * pageBytes) / Math.max(1, bytes));
    limit = Math.max(firstRows, Math.min(rowsMax, 2 * limit, fitting));
    await setImmediate();
  }
}
