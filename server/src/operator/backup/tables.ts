import type { Reader, Value } from "../../database/database.ts";

/** A table and how its rows are copied. */
export interface Table {
  name: string;
  columns: string[];
  /** Columns of the primary key, in its order. */
  key: string[];
  /** The column in which a row names another one of this table. */
  parent: string | undefined;
}

/** Objects are copied from bucket to bucket, and nothing that waits to be deleted; no nodes. */
const leftOut = new Set([
  "object",
  "object_part",
  "garbage",
  "node",
  "slice",
  "slice_node",
  "telling",
]);

const heldByTheTarget = new Set(["format", "least_format", "segments"]);

/** Whether a row says where and when a database is, rather than what it contains. */
export function isHeldByTheTarget({ name }: Record<string, Value>): boolean {
  return heldByTheTarget.has(String(name)) || String(name).endsWith("_lease");
}

/**
 * Reads all tables of an installation, each behind those to which its rows refer. `reader` is
 * SQLite's.
 */
export async function readTables(reader: Reader): Promise<Table[]> {
  const names = await reader.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const tables: Table[] = [];
  const named = new Map<string, Set<string>>();
  for (const { name } of names) {
    if (leftOut.has(name)) continue;
    const columns = await reader.all<{ name: string; pk: number }>(
      `SELECT name, pk FROM pragma_table_info('${name}') ORDER BY cid`,
    );
    const references = await reader.all<{ table: string; from: string }>(
      `SELECT "table", "from" FROM pragma_foreign_key_list('${name}')`,
    );
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    if (key.length === 0) throw new Error(`BUG: the table ${name} has no primary key`);
    named.set(name, new Set(references.map(({ table }) => table).filter((one) => one !== name)));
    tables.push({
      name,
      columns: columns.map((column) => column.name),
      key: key.map((column) => column.name),
      parent: references.find(({ table }) => table === name)?.from,
    });
  }
  return inOrder(tables, named);
}

function inOrder(tables: readonly Table[], named: ReadonlyMap<string, Set<string>>): Table[] {
  const ordered: Table[] = [];
  const done = new Set<string>();
  while (ordered.length < tables.length) {
    const next = tables.filter(
      ({ name }) => !done.has(name) && [...named.get(name)!].every((one) => done.has(one)),
    );
    if (next.length === 0) throw new Error("BUG: tables name each other in a circle");
    for (const table of next) done.add(table.name);
    ordered.push(...next);
  }
  return ordered;
}
