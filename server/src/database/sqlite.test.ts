import { performance } from "node:perf_hooks";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { DatabaseError, Reader } from "./database.ts";
import { migrate } from "./migrate.ts";
import { SqliteConnection } from "./node-sqlite.ts";
import { databaseFileName, openSqlite } from "./sqlite.ts";
import { sqliteFailure } from "./sqlite-failure.ts";

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "lossless-sqlite-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const kindIs = (kind: string) => (error: unknown) => (error as DatabaseError).kind === kind;

test("a commit is on disk when it is acknowledged: WAL with full synchronisation", async (t) => {
  await using database = openSqlite({ directory: temporaryDirectory(t) });
  const setting = async (name: string) => {
    const row = await database.read((reader) => reader.get<object>(`PRAGMA ${name}`));
    return Object.values(row ?? {})[0];
  };
  assert.equal(await setting("journal_mode"), "wal");
  assert.equal(await setting("synchronous"), 2);
  assert.equal(await setting("page_size"), 8192);
  // Checkpoints are made by checkpoints.ts, which does not ignore their errors.
  assert.equal(await setting("wal_autocheckpoint"), 0);
  assert.equal(await setting("fullfsync"), 1);
  assert.equal(await setting("foreign_keys"), 1);
});

test("the files are readable by their owner only", async (t) => {
  const directory = temporaryDirectory(t);
  await using database = openSqlite({ directory });
  await migrate(database);
  for (const ending of ["", "-wal", "-shm"]) {
    assert.equal(statSync(join(directory, databaseFileName + ending)).mode & 0o777, 0o600);
  }
});

test("on a full disk a write is refused whole, and the next small one passes", async (t) => {
  await using database = openSqlite({ directory: temporaryDirectory(t), pagesMax: 300 });
  await migrate(database);
  const write = (name: string, sizeBytes: number) =>
    database.write(async (transaction) => {
      await transaction.run("INSERT INTO installation (name, value) VALUES ($1, 'x')", name);
      await transaction.run(
        "INSERT INTO log (experiment, seq, points, record) VALUES ($1, 1, 1, $2)",
        name,
        new Uint8Array(sizeBytes),
      );
    });
  await assert.rejects(write("large", 2_000_000), kindIs("full"));
  await write("small", 10);
  const rows = await database.read((reader) => reader.all("SELECT experiment FROM log"));
  assert.deepEqual(
    rows.map((row) => ({ ...(row as object) })),
    [{ experiment: "small" }],
  );
});

test("a failure that `work` swallows still fails the transaction", async (t) => {
  await using database = openSqlite({ directory: temporaryDirectory(t), pagesMax: 300 });
  await migrate(database);
  const swallowing = database.write(async (transaction) => {
    await transaction
      .attempt(() =>
        transaction.run(
          "INSERT INTO log (experiment, seq, points, record) VALUES ('a', 1, 1, $1)",
          new Uint8Array(2_000_000),
        ),
      )
      .catch(() => undefined);
    await transaction
      .run("INSERT INTO installation (name, value) VALUES ('stray', 'x')")
      .catch(() => undefined);
  });
  await assert.rejects(swallowing, kindIs("full"));
  const row = await database.read((reader) =>
    reader.get("SELECT name FROM installation WHERE name = 'stray'"),
  );
  assert.equal(row, undefined);
});

test("a ROLLBACK that fails stops the process, and the first failure is told with it", async (t) => {
  await using database = openSqlite({ directory: temporaryDirectory(t) });
  const { exec } = SqliteConnection.prototype;
  const mock = t.mock.method(
    SqliteConnection.prototype,
    "exec",
    function (this: SqliteConnection, sql: string) {
      if (sql === "ROLLBACK") throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
      exec.call(this, sql);
    },
  );
  const failing = database.write(() => Promise.reject(new Error("no")));
  await assert.rejects(failing, (error) => {
    assert.match((error as DatabaseError).message, /^no; then ROLLBACK failed: .*disk I\/O error/);
    return kindIs("failed")(error);
  });
  mock.mock.restore();
});

test("what is not a database, or a damaged one, is told as corrupt", async (t) => {
  const garbage = temporaryDirectory(t);
  writeFileSync(join(garbage, databaseFileName), "this is not a database ".repeat(1000));
  assert.throws(() => openSqlite({ directory: garbage }), kindIs("corrupt"));

  const cut = temporaryDirectory(t);
  const whole = openSqlite({ directory: cut });
  await migrate(whole);
  await whole[Symbol.asyncDispose]();
  truncateSync(join(cut, databaseFileName), 3 * 8192);
  assert.throws(() => openSqlite({ directory: cut }), kindIs("corrupt"));
});

test("error codes of SQLite map to what the service must do", () => {
  const kindOf = (errcode: number) =>
    (sqliteFailure(Object.assign(new Error("x"), { errcode })) as Partial<DatabaseError>).kind;
  for (const full of [13, 778]) assert.equal(kindOf(full), "full");
  for (const failed of [10, 1034, 1290, 522]) assert.equal(kindOf(failed), "failed");
  for (const corrupt of [11, 26, 779]) assert.equal(kindOf(corrupt), "corrupt");
  for (const conflict of [5, 517, 6]) assert.equal(kindOf(conflict), "conflict");
  for (const ordinary of [1, 1555, 2067, 20]) assert.equal(kindOf(ordinary), undefined);
});

test("a read that nobody waits for any more is ended while its statement runs", async (t) => {
  await using database = openSqlite({ directory: temporaryDirectory(t) });
  let asked = 0;
  const isLeft = () => ++asked > 3;
  const endless = `WITH RECURSIVE n (rowid) AS (SELECT 1 UNION ALL SELECT rowid + 1 FROM n) SELECT count(*) FROM n WHERE `;
  const read = database.read((reader) => reader.get(endless + reader.inTime("n")), {
    statementMs: Infinity,
    isLeft,
  });
  await assert.rejects(read, { kind: "late" });
  assert.equal(asked, 4);
});

test("others run between the statements of a read that has bounds", async (t) => {
  await using database = openSqlite({ directory: temporaryDirectory(t) });
  const runsBetween = async (statementMs: number): Promise<number> => {
    let nowMs = 0;
    const clock = t.mock.method(performance, "now", () => (nowMs += statementMs));
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns++) await new Promise(setImmediate);
    })();
    await database.read(
      async (reader) => {
        for (let at = 0; at < 100; at++) await reader.get("SELECT 1");
      },
      { statementMs: Infinity },
    );
    isOver = true;
    clock.mock.restore();
    await others;
    return turns;
  };
  const [short, long] = [await runsBetween(0), await runsBetween(30)];
  assert.ok(short < 5, `${short} turns between short statements`);
  assert.ok(long >= 99, `${long} turns between long ones`);
});

test("rows at any distance from each other are looked at in time, and few of them", async (t) => {
  await using database = openSqlite({ directory: temporaryDirectory(t) });
  for (const distance of [1, 2, 64, 100, 128, 4_096, 8_192, 65_536]) {
    let looks = 0;
    let nowMs = 0;
    const clock = t.mock.method(performance, "now", () => {
      looks++;
      return nowMs++;
    });
    const sql = (reader: Reader) =>
      `WITH RECURSIVE n (rowid) AS (SELECT 7 UNION ALL SELECT rowid + ${distance} FROM n LIMIT 10000)
       SELECT count(*) AS passed FROM n WHERE ${reader.inTime("n")}`;
    const row = await database.read((reader) => reader.get(sql(reader)), { statementMs: 1e6 });
    clock.mock.restore();
    assert.equal((row as { passed: number }).passed, 10_000);
    assert.ok(looks > 50 && looks < 400, `${looks} looks at a distance of ${distance}`);
  }
});

test("readers of several holders take turns, and one with many waits for itself", async (t) => {
  const directory = temporaryDirectory(t);
  await using written = openSqlite({ directory });
  await migrate(written);
  const reader = openSqlite({ directory, readOnly: true });
  const done: string[] = [];
  const read = (holder: string) =>
    reader.read(async () => void done.push(holder), { statementMs: 1_000, holder });
  const all = ["acme", "acme", "acme", "acme", "rival", "other", "rival"].map(read);
  await reader[Symbol.asyncDispose]();
  assert.deepEqual(done, ["acme", "acme", "rival", "other", "acme", "rival", "acme"]);
  await Promise.all(all);
});
