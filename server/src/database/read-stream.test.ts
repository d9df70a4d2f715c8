import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Reader } from "./database.ts";
import { onEachDatabase } from "./databases.fixture.ts";
import { readStream } from "./read-stream.ts";

const long = 60_000;

onEachDatabase(({ node, open }) => {
  const served = node();
  const add = (id: string) =>
    served.database.write((transaction) =>
      transaction.run("INSERT INTO organization (id, name, created_at_ms) VALUES ($1, $1, 0)", id),
    );

  test("what is written while it is taken is not in it", async () => {
    await add("a");
    const other = await open();
    const names = organizations(readStream(other, (reader) => chunksOf(reader, long)));
    assert.equal((await names.next()).value, "");
    assert.equal((await names.next()).value, "1");
    await add("b");
    assert.equal((await names.next()).value, "a");
    assert.equal((await names.next()).done, true);
    assert.deepEqual(await ends(other), ["a", "b"]);
  });

  test("its snapshot ends when it is left, when it fails, and when its time is over", async () => {
    const other = await open();
    const left = readStream(other, (reader) => chunksOf(reader, long));
    await left.next();
    await left.return(undefined);
    await ends(other);
    const failed = readStream(other, async () => {
      throw new Error("no");
    });
    await assert.rejects(failed.next(), /no/);
    await ends(other);
    const slow = readStream(other, (reader) => chunksOf(reader, 1));
    await slow.next();
    // A timer of one millisecond comes before this one.
    await sleep(50);
    // It goes on by itself only when the snapshot has ended.
    await ends(other);
    await assert.rejects(slow.next(), /too slowly/);
  });
});

/** How many there are, then each name. */
async function chunksOf(reader: Reader, timeMs: number) {
  const encoder = new TextEncoder();
  const found = await reader.get<{ count: number }>("SELECT count(*) AS count FROM organization");
  async function* chunks() {
    yield encoder.encode(String(found!.count));
    const rows = await reader.all<{ name: string }>("SELECT name FROM organization ORDER BY name");
    for (const { name } of rows) yield encoder.encode(name);
  }
  return { chunks: chunks(), timeMs };
}

async function* organizations(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield new TextDecoder().decode(chunk);
}

/** Waits for the connections that streams had, all of them. */
async function ends(database: Database): Promise<string[]> {
  const read = () =>
    database.read((reader) =>
      reader.all<{ name: string }>("SELECT name FROM organization ORDER BY name"),
    );
  const [rows] = await Promise.all([read(), read(), read(), read()]);
  return rows.map(({ name }) => name);
}
