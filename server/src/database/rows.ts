import type { Reader, Transaction, Value } from "./database.ts";

/**
 * Rows of one statement at most. Each number of rows has a text of its own, which stays prepared: a
 * few dozen statements cost less than the round trips of splitting a group into powers of two.
 */
const rowsPerStatement = 64;

/**
 * Inserts rows, many a statement: on PostgreSQL each statement is a round trip. `onConflict` is the
 * statement's end.
 */
export async function insertRows(
  transaction: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  onConflict = "",
): Promise<void> {
  await inBatches(rows, async (batch) => {
    const values = placeholders(batch.length, columns.length, (parameter) => parameter);
    await transaction.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values} ${onConflict}`,
      ...batch.flat(),
    );
  });
}

/** Inserts the rows whose key is new, and returns `returned` of each of them. */
export async function insertNewRows<Row>(
  transaction: Transaction,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  returned: string,
): Promise<Row[]> {
  const added: Row[] = [];
  await inBatches(rows, async (batch) => {
    const values = placeholders(batch.length, columns.length, (parameter) => parameter);
    const inserted = await transaction.all<Row>(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values}
       ON CONFLICT DO NOTHING RETURNING ${returned}`,
      ...batch.flat(),
    );
    added.push(...inserted);
  });
  return added;
}

/**
 * Runs an `UPDATE … FROM (VALUES …) AS changed`, whose columns are column1, column2 … in both
 * databases: the first is text, the others integers. Returns the number of rows changed.
 */
export async function updateRows(
  transaction: Transaction,
  statement: (values: string) => string,
  rows: readonly (readonly [string, ...number[]])[],
): Promise<number> {
  let changed = 0;
  await inBatches(rows, async (batch) => {
    changed += await transaction.run(statement(textAndIntegers(batch)), ...batch.flat());
  });
  return changed;
}

/** Does the same, and returns the statement's RETURNING of the changed rows. */
export async function changeRows<Row>(
  transaction: Transaction,
  statement: (values: string) => string,
  rows: readonly (readonly [string, ...number[]])[],
): Promise<Row[]> {
  const changed: Row[] = [];
  await inBatches(rows, async (batch) => {
    changed.push(
      ...(await transaction.all<Row>(statement(textAndIntegers(batch)), ...batch.flat())),
    );
  });
  return changed;
}

/**
 * Runs a SELECT that joins `(VALUES …) AS wanted`, whose columns are column1, column2 … in both
 * databases, all of them text. The `$n` of `values` come first, those of the rows after them.
 */
export async function selectWanted<Row>(
  reader: Reader,
  statement: (wanted: string) => string,
  rows: readonly (readonly string[])[],
  ...values: Value[]
): Promise<Row[]> {
  const found: Row[] = [];
  await inBatches(rows, async (batch) => {
    const tuples = placeholders(batch.length, batch[0].length, (parameter) => {
      const number = Number(parameter.slice(1)) + values.length;
      return `CAST($${number} AS TEXT)`;
    });
    found.push(
      ...(await reader.all<Row>(statement(`(VALUES ${tuples})`), ...values, ...batch.flat())),
    );
  });
  return found;
}

async function inBatches<Row>(
  rows: readonly Row[],
  work: (batch: Row[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    await work(rows.slice(start, start + rowsPerStatement));
  }
}

function textAndIntegers(batch: readonly (readonly [string, ...number[]])[]): string {
  const values = placeholders(batch.length, batch[0].length, (parameter, column) =>
    column === 0 ? `CAST(${parameter} AS TEXT)` : `CAST(${parameter} AS BIGINT)`,
  );
  return `(VALUES ${values})`;
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
