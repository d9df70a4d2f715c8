import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { sharedPostgres } from "../../../test/postgres.ts";
import { copyTables } from "../operator/backup/copy-rows.ts";
import { readTables, type Table } from "../operator/backup/tables.ts";
import type { Database, Reader } from "./database.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { TestNode } from "./node.fixture.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

export interface TestDatabase {
  readonly dialect: Reader["dialect"];
  /**
   * Opens another object on the same fresh database: a new PostgreSQL node or SQLite connection.
   */
  open(): Promise<Database>;
  /** As `open`, with every table there. */
  openMigrated(): Promise<Database>;
  /** Another database, in an older format: the rows that it has of those in `rows`. */
  inFormat(format: number, rows: Database): Promise<Database>;
  /** A node for all tests of the suite. The first one makes the tables. */
  node(): TestNode;
}

/**
 * Defines the tests of `define` for each database, on a fresh one. Opened objects are closed.
 * LOSSLESS_TEST_BACKENDS=sqlite, or =postgres, selects one of them.
 */
export function onEachDatabase(define: (database: TestDatabase) => void): void {
  const wanted = process.env.LOSSLESS_TEST_BACKENDS?.split(",") ?? ["sqlite", "postgres"];
  if (wanted.includes("sqlite")) {
    describe("on SQLite", () => define(testDatabase("sqlite", makeSqlite)));
  }
  if (wanted.includes("postgres")) {
    describe("on PostgreSQL", () => define(testDatabase("postgres", makePostgres)));
  }
}

function testDatabase(
  dialect: TestDatabase["dialect"],
  make: (isMigrated: boolean) => Promise<{ open: () => Database; remove: () => Promise<void> }>,
): TestDatabase {
  let made: ReturnType<typeof make> | undefined;
  const older: Awaited<ReturnType<typeof make>>[] = [];
  const opened: Database[] = [];
  after(async () => {
    for (const database of opened) await database[Symbol.asyncDispose]();
    for (const one of [await made, ...older]) await one?.remove();
  });
  const open = async (isMigrated = false) => {
    made ??= make(isMigrated);
    const database = (await made).open();
    opened.push(database);
    return database;
  };
  const openMigrated = async () => {
    const database = await open(true);
    await migrate(database);
    return database;
  };
  const inFormat = async (format: number, rows: Database) => {
    const tables = await tablesOf(format);
    const one = await make(false);
    older.push(one);
    const database = one.open();
    opened.push(database);
    await migrate(database, { migrations: migrations.slice(0, format) });
    await database.write((transaction) =>
      rows.read((reader) => copyTables(reader, transaction, tables)),
    );
    return database;
  };
  const node = () => {
    const added = new TestNode();
    before(async () => {
      added.database = await (opened.length === 0 ? openMigrated() : open());
    });
    return added;
  };
  return { dialect, open: () => open(), openMigrated, inFormat, node };
}

async function makeSqlite() {
  const directory = await mkdtemp(join(tmpdir(), "lossless-sqlite-"));
  return {
    open: () => openSqlite({ directory }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

async function makePostgres(isMigrated: boolean) {
  const server = await sharedPostgres();
  const url = await server.createDatabase(isMigrated ? await migrated() : undefined);
  return { open: () => openPostgres({ url }), remove: async () => undefined };
}

/** Tables and columns of a format, as SQLite lists them. */
async function tablesOf(format: number): Promise<Table[]> {
  const { open, remove } = await makeSqlite();
  try {
    await using database = open();
    await migrate(database, { migrations: migrations.slice(0, format) });
    return await database.read(readTables);
  } finally {
    await remove();
  }
}

const template: { url?: Promise<string> } = {};

/** A database with every table, for copies: to make the tables takes longer than most tests. */
function migrated(): Promise<string> {
  template.url ??= (async () => {
    const url = await (await sharedPostgres()).createDatabase();
    await using database = openPostgres({ url });
    await migrate(database);
    return url;
  })();
  return template.url;
}
