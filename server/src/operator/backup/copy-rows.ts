import { createHash } from "node:crypto";
import type { Reader, Transaction, Value } from "../../database/database.ts";
import { isHeldByTheTarget, readTables, type Table } from "./tables.ts";

type Row = Record<string, Value>;

/** Digest of a table's rows, for comparison with another. */
export interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/** Tables of which a few rows may have many megabytes: records of points, and pictures. */
const fewAtOnce: Readonly<Record<string, number>> = { log: 20, report_picture: 4 };
const rowsAtOnce = (table: Table) => fewAtOnce[table.name] ?? 500;

/**
 * Copies all rows of an installation from one database to another, which has its tables and no
 * rows: one of them is SQLite, the other PostgreSQL, and both have the newest format. Ids are
 * unchanged. Objects of segments are no rows here, wherever they are stored. Runs as one
 * transaction on either side; returns the digest of each table.
 */
export async function copyRows(source: Reader, target: Transaction): Promise<TableDigest[]> {
  const tables = await readTables(source.dialect === "sqlite" ? source : target);
  return copyTables(source, target, tables);
}

/**
 * The same of tables that both have, in any format; `change` returns the row to write, or undefined
 * for none.
 */
export async function copyTables(
  source: Reader,
  target: Transaction,
  tables: readonly Table[],
  change: (table: Table, row: Row) => Row | undefined = (_, row) => row,
): Promise<TableDigest[]> {
  if (target.dialect === "sqlite") await target.run("PRAGMA defer_foreign_keys = ON");
  const digests: TableDigest[] = [];
  for (const table of tables) {
    const digest = new Digest(table);
    for await (const read of pages(source, table)) {
      const page = read.flatMap((row): Row[] => {
        const changed = change(table, row);
        return changed === undefined ? [] : [changed];
      });
      if (page.length === 0) continue;
      digest.add(page);
      for (const rows of inOrder(table, page)) await insert(target, table, rows);
    }
    digests.push(digest.result());
  }
  if (target.dialect === "postgres") await raiseIdentities(target);
  return digests;
}

/** The same of a database that was copied to. */
export async function digestRows(reader: Reader, tables: readonly Table[]): Promise<TableDigest[]> {
  const digests: TableDigest[] = [];
  for (const table of tables) {
    const digest = new Digest(table);
    for await (const page of pages(reader, table)) digest.add(page);
    digests.push(digest.result());
  }
  return digests;
}

class Digest {
  readonly #table: Table;
  readonly #hash = createHash("sha256");
  #rows = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const values = this.#table.columns.map((column) => {
        const value = row[column];
        return value instanceof Uint8Array ? [Buffer.from(value).toString("base64")] : value;
      });
      this.#hash.update(`${JSON.stringify(values)}\n`);
    }
    this.#rows += rows.length;
  }

  result(): TableDigest {
    return { table: this.#table.name, rows: this.#rows, digest: this.#hash.digest("hex") };
  }
}

/** Reads pages in the order of the key, which is the same on both: text compares bytewise. */
async function* pages(reader: Reader, table: Table): AsyncGenerator<Row[]> {
  const { name, columns, key } = table;
  const limit = table.parent === undefined ? rowsAtOnce(table) : Number.MAX_SAFE_INTEGER;
  const keys = key.map(quoted).join(", ");
  for (let last: Row | undefined; ;) {
    const after: Value[] = last === undefined ? [] : key.map((column) => last![column]);
    const parameters = after.map((_, index) => `$${index + 1}`).join(", ");
    const where = last === undefined ? "" : ` WHERE (${keys}) > (${parameters})`;
    const rows = await reader.composed<Row>(
      `SELECT ${columns.map(quoted).join(", ")} FROM ${name}${where} ORDER BY ${keys} LIMIT ${limit}`,
      ...after,
    );
    const wanted = name === "installation" ? rows.filter((row) => !isHeldByTheTarget(row)) : rows;
    if (wanted.length > 0) yield wanted;
    if (rows.length < limit) return;
    last = rows.at(-1);
  }
}

/**
 * Yields parents first where rows refer to others of their own table: PostgreSQL checks at once.
 */
function* inOrder({ key, parent }: Table, rows: readonly Row[]): Generator<readonly Row[]> {
  if (parent === undefined) return yield rows;
  const [id] = key;
  const done = new Set<Value>([null]);
  for (let left = rows; left.length > 0;) {
    const next = left.filter((row) => done.has(row[parent]));
    if (next.length === 0) throw new Error(`BUG: rows of ${id} name each other in a circle`);
    for (let at = 0; at < next.length; at += insertedAtOnce) {
      yield next.slice(at, at + insertedAtOnce);
    }
    for (const row of next) done.add(row[id]);
    left = left.filter((row) => !done.has(row[id]));
  }
}

const insertedAtOnce = 500;

async function insert(target: Transaction, table: Table, rows: readonly Row[]): Promise<void> {
  const { name, columns } = table;
  let number = 0;
  const values: Value[] = [];
  const tuples = rows.map((row) => {
    const parameters = columns.map((column) => {
      values.push(row[column]);
      return `$${++number}`;
    });
    return `(${parameters.join(", ")})`;
  });
  // The only tables that may already have rows: those inserted when they were made.
  const conflict =
    name === "installation" ? " ON CONFLICT (name) DO UPDATE SET value = excluded.value" : "";
  await target.run(
    `INSERT INTO ${name} (${columns.map(quoted).join(", ")}) VALUES ${tuples.join(", ")}${conflict}`,
    ...values,
  );
}

/** Quotes a column; some have names that are words of SQL. */
function quoted(column: string): string {
  return `"${column}"`;
}

/** Raises PostgreSQL's sequences above the numbers of the copied rows. */
async function raiseIdentities(target: Transaction): Promise<void> {
  const identities = await target.all<{ table: string; column: string }>(
    `SELECT table_name::text AS "table", column_name::text AS "column"
     FROM information_schema.columns WHERE is_identity = 'YES' AND table_schema = current_schema()`,
  );
  for (const { table, column } of identities) {
    await target.all(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'),
         (SELECT coalesce(max(${column}), 0) + 1 FROM ${table}), false)::text AS value`,
    );
  }
}
