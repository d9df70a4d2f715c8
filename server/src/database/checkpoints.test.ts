import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { walBytesKept } from "./checkpoints.ts";
import type { Database, DatabaseError } from "./database.ts";
import { migrate } from "./migrate.ts";
import { SqliteConnection } from "./node-sqlite.ts";
import { databaseFileName, openSqlite } from "./sqlite.ts";

const MiB = 1024 * 1024;

async function openMigrated(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "lossless-checkpoints-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const database = openSqlite({ directory });
  t.after(() => database[Symbol.asyncDispose]());
  await migrate(database);
  const size = (ending: string) => statSync(join(directory, databaseFileName + ending)).size;
  return { directory, database, walBytes: () => size("-wal"), fileBytes: () => size("") };
}

/** Commits this many rows of 2 MiB each. */
async function commitRows(database: Database, count: number): Promise<void> {
  const record = new Uint8Array(2 * MiB);
  for (let index = 0; index < count; index++) {
    await database.write((transaction) =>
      transaction.run(
        "INSERT INTO log (experiment, seq, points, record) SELECT 'a', count(*), 1, $1 FROM log",
        record,
      ),
    );
  }
}

/** Makes every checkpoint with work to do end with this error of SQLite. */
function failCheckpoints(t: TestContext, errcode: number): void {
  const { exec } = SqliteConnection.prototype;
  t.mock.method(SqliteConnection.prototype, "exec", function (this: SqliteConnection, sql: string) {
    if (sql.startsWith("PRAGMA wal_checkpoint")) {
      throw Object.assign(new Error("planted"), { errcode });
    }
    exec.call(this, sql);
  });
}

test("the WAL is checkpointed and begun anew as it grows", async (t) => {
  const { database, walBytes, fileBytes } = await openMigrated(t);
  await commitRows(database, 50);
  assert.ok(walBytes() < 40 * MiB, `${walBytes()} bytes`);
  assert.ok(fileBytes() > 60 * MiB, `${fileBytes()} bytes`);
});

test("after readers that held it the WAL shrinks again, and no commit waits for them", async (t) => {
  const { directory, database, walBytes } = await openMigrated(t);
  await using reading = openSqlite({ directory, readOnly: true });
  const count = () => reading.read((reader) => reader.get<object>("SELECT count(*) AS n FROM log"));
  await reading.read(async (reader) => {
    await reader.all("SELECT seq FROM log");
    await commitRows(database, 90);
  });
  assert.ok(walBytes() > 170 * MiB, `${walBytes()} bytes`);
  for (let turn = 0; turn < 5; turn++) {
    await commitRows(database, 8);
    await count();
  }
  assert.ok(walBytes() <= walBytesKept, `${walBytes()} bytes`);
  assert.deepEqual({ ...(await count()) }, { n: 130 });
});

test("a checkpoint whose fsync fails stops the process: the write is not acknowledged", async (t) => {
  const { database } = await openMigrated(t);
  failCheckpoints(t, 1034);
  await assert.rejects(
    commitRows(database, 20),
    (error) => (error as DatabaseError).kind === "failed",
  );
});

test("a checkpoint that finds the disk full, or another at work, fails no commit", async (t) => {
  const { database, walBytes } = await openMigrated(t);
  for (const errcode of [13, 778, 5]) {
    failCheckpoints(t, errcode);
    await commitRows(database, 20);
    t.mock.restoreAll();
  }
  assert.ok(walBytes() > 100 * MiB, `${walBytes()} bytes`);
});
