import type { Transaction, Value } from "./database.ts";

/** Statements are made for so many rows, so that a few texts serve every number of rows and stay prepared. */
const batchSizes = [64, 16, 4, 1];

/** Inserts rows, many a statement: on PostgreSQL each statement is a round trip. */
export async function insertRows(
  transaction: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  await inBatches(rows, async (batch) => {
    const values = placeholders(batch.length, columns.length, (parameter) => parameter);
    await transaction.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values}`,
      ...batch.flat(),
    );
  });
}

/**
 * Runs an `UPDATE … FROM (VALUES …) AS changed`, whose columns are column1, column2 … in both databases: the
 * first is text, the others integers. Returns the number of rows changed.
 */
export async function updateRows(
  transaction: Transaction,
  statement: (values: string) => string,
  rows: readonly (readonly [string, ...number[]])[],
): Promise<number> {
  let changed = 0;
  await inBatches(rows, async (batch) => {
    const values = placeholders(batch.length, batch[0]!.length, (parameter, column) =>
      column === 0 ? `CAST(${parameter} AS TEXT)` : `CAST(${parameter} AS BIGINT)`,
    );
    changed += await transaction.run(statement(`(VALUES ${values})`), ...batch.flat());
  });
  return changed;
}

async function inBatches<Row>(
  rows: readonly Row[],
  work: (batch: Row[]) => Promise<void>,
): Promise<void> {
  let start = 0;
  for (const size of batchSizes) {
    for (; rows.length - start >= size; start += size) await work(rows.slice(start, start + size));
  }
}

function placeholders(
  rows: number,
  columns: number,
  form: (parameter: string, column: number) => string,
): string {
  const tuples: string[] = [];
  for (let row = 0; row < rows; row++) {
    const tuple: string[] = [];
    for (let column = 0; column < columns; column++)
      tuple.push(form(`$${row * columns + column + 1}`, column));
    tuples.push(`(${tuple.join(", ")})`);
  }
  return tuples.join(", ");
}
