import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Value } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { tables as ofExperiments } from "./check.ts";
import { wrongOrganizations } from "./check-organizations.ts";
import { organizationTables } from "./organization-tables.ts";

interface Column {
  name: string;
  type: string;
  notnull: number;
}

test("a row that a purge of an organization leaves in any table is noticed", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-left-rows-"));
  await using database = openSqlite({ directory: directory.path });
  await migrate(database);
  await database.write((transaction) =>
    transaction.run(
      `INSERT INTO organization (id, name, created_at_ms, trashed_at_ms, purged_at_ms)
       VALUES ('o', 'gone', 0, 0, 0)`,
    ),
  );
  const tables = await database.read((reader) =>
    reader.all<{ name: string; by: string }>(
      `SELECT tables.name, columns.name AS "by"
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.name IN ('organization', 'only_organization')`,
    ),
  );
  assert.ok(tables.length > 25);
  for (const { name, by } of tables) {
    // The row alone: the rows to which it refers are missing, and need not exist.
    await database
      .write(async (transaction) => {
        await transaction.run("PRAGMA defer_foreign_keys = ON");
        const columns = await transaction.all<Column>(
          `SELECT name, type, "notnull" FROM pragma_table_info('${name}')`,
        );
        const given = columns.filter((column) => column.notnull === 1 || column.name === by);
        const values = given.map((column): Value => (column.name === by ? "o" : valueOf(column)));
        await transaction.run(
          `INSERT INTO ${name} (${given.map((column) => column.name).join(", ")})
           VALUES (${given.map((_, at) => `$${at + 1}`).join(", ")})`,
          ...values,
        );
        const told = await wrongOrganizations(transaction);
        assert.ok(
          told.some(({ sentence }) => sentence.endsWith(`has 1 rows in ${name}`)),
          name,
        );
        throw new Undone();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
    const isPurged = organizationTables.some(({ table }) => table === name);
    assert.ok(isPurged || byOtherSteps.has(name), `no purge empties ${name}`);
  }
  assert.deepEqual(await database.read(wrongOrganizations), []);
});

test("each table that names one of an organization is emptied before it", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-table-order-"));
  await using database = openSqlite({ directory: directory.path });
  await migrate(database);
  const references = await database.read((reader) =>
    reader.all<{ name: string; parent: string }>(
      `SELECT tables.name, keys."table" AS parent
       FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys
       WHERE tables.type = 'table'`,
    ),
  );
  assert.ok(references.length > 25);
  const places = new Map(organizationTables.map(({ table }, at) => [table, at]));
  for (const { name, parent } of references) {
    const parentAt = places.get(parent);
    if (name === parent || parentAt === undefined || byOtherSteps.has(name)) continue;
    const at = places.get(name);
    assert.ok(at !== undefined && at < parentAt, `${name} names ${parent}`);
  }
});

class Undone extends Error {}

/** Tables emptied by purges of experiments, versions, files and entries of the trash. */
const byOtherSteps = new Set<string>([
  ...ofExperiments.filter((table) => table !== "version_experiment" && table !== "lineage"),
  "file",
  "file_upload",
  "removal",
  "trash",
  "version",
]);

function valueOf({ type }: Column): Value {
  if (type === "BLOB") return new Uint8Array(1);
  return type === "TEXT" ? "x" : 0;
}
