import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteReaders } from "./sqlite-readers.ts";
import { openSqlite } from "./sqlite.ts";

test("a long read keeps its snapshot while others read what was written meanwhile", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "lossless-readers-"));
  t.after(() => rm(directory, { recursive: true }));
  await using database = openSqlite({ directory });
  const execute = (sql: string) => database.write((transaction) => transaction.run(sql));
  await execute("CREATE TABLE word (text TEXT NOT NULL)");
  await using readers = openSqliteReaders(directory, 2);
  const count = "SELECT count(*) AS words FROM word";
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const long = readers.read(async (reader) => {
    const before = await reader.get<{ words: number }>(count);
    begun.resolve();
    await gate.promise;
    return [before, await reader.get<{ words: number }>(count)];
  });
  await begun.promise;
  await execute("INSERT INTO word (text) VALUES ('a')");
  const after = await readers.read((reader) => reader.get<{ words: number }>(count));
  assert.equal(after?.words, 1);
  gate.resolve();
  assert.deepEqual(
    (await long).map((row) => row?.words),
    [0, 0],
  );
  await assert.rejects(
    readers.write(async () => undefined),
    /BUG: write/,
  );
});

test("reads of several holders take turns at the connections", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "lossless-readers-"));
  t.after(() => rm(directory, { recursive: true }));
  await using database = openSqlite({ directory });
  await database.write((transaction) => transaction.run("CREATE TABLE word (text TEXT)"));
  await using readers = openSqliteReaders(directory, 1);
  const done: string[] = [];
  const read = (holder: string) =>
    readers.read(async () => void done.push(holder), { statementMs: 1_000, holder });
  await Promise.all(["acme", "acme", "acme", "acme", "rival", "other", "rival"].map(read));
  assert.deepEqual(done, ["acme", "acme", "rival", "other", "acme", "rival", "acme"]);
});
