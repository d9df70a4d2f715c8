import assert from "node:assert/strict";
import { mkdtempDisposableSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compactSqlite, readFileUse } from "./sqlite-compact.ts";
import { databaseFileName, openSqlite } from "./sqlite.ts";

test("a database is compacted beside a service that has it open, which goes on", async () => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-compact-"));
  await using database = openSqlite({ directory: directory.path });
  await using reader = openSqlite({ directory: directory.path, readOnly: true });
  await database.write(async (transaction) => {
    await transaction.run("CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT)");
    await transaction.run("CREATE TABLE gone (id INTEGER PRIMARY KEY, bytes BLOB)");
    for (let id = 0; id < 200; id++) {
      await transaction.run("INSERT INTO gone VALUES ($1, zeroblob(20000))", id);
    }
    await transaction.run("INSERT INTO kept VALUES (1, 'before')");
  });
  const names = () => reader.read((each) => each.all<{ text: string }>("SELECT text FROM kept"));
  assert.equal((await names()).length, 1);
  await database.write((transaction) => transaction.run("DELETE FROM gone"));
  assert.ok(readFileUse(directory.path).freeBytes > 3_000_000);
  const { before, after } = await compactSqlite(directory.path);
  assert.ok(before.freeBytes > 3_000_000);
  assert.equal(after.freeBytes, 0);
  assert.ok(after.bytes < 100_000);
  assert.equal(statSync(join(directory.path, databaseFileName)).size, after.bytes);
  await database.write((transaction) => transaction.run("INSERT INTO kept VALUES (2, 'after')"));
  assert.deepEqual(
    (await names()).map(({ text }) => text),
    ["before", "after"],
  );
});
