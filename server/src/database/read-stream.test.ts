import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FairShares, type Share } from "../ground/fair-shares.ts";
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
    const names = organizations(streamOf(other, long));
    assert.equal((await names.next()).value, "");
    assert.equal((await names.next()).value, "1");
    await add("b");
    assert.equal((await names.next()).value, "a");
    assert.equal((await names.next()).done, true);
    assert.deepEqual(await ends(other), ["a", "b"]);
  });

  test("its snapshot ends when it is left, when it fails, and when its time is over", async () => {
    const other = await open();
    const left = streamOf(other, long);
    await left.next();
    await left.return(undefined);
    await ends(other);
    const failed = readStream(
      other,
      async () => {
        throw new Error("no");
      },
      room(0),
    );
    await assert.rejects(failed.next(), /no/);
    await ends(other);
    const slow = streamOf(other, 1);
    await slow.next();
    // A timer of one millisecond comes before this one.
    await sleep(50);
    // It goes on by itself only when the snapshot has ended.
    await ends(other);
    assert.equal((await slow.next()).done, false);
    await assert.rejects(slow.next(), /too slowly/);
  });

  test("its snapshot ends before it is taken where there is room, and it is whole", async () => {
    const other = await open();
    const shares = new FairShares(2_000);
    const names = organizations(streamOf(other, long, shares.take("org", 0)));
    assert.equal((await names.next()).value, "");
    // It goes on by itself only when the snapshot has ended, with nothing taken.
    const expected = await ends(other);
    assert.ok(shares.taken > 0);
    await add("c");
    assert.deepEqual(await Array.fromAsync(names), [String(expected.length), ...expected]);
    assert.equal(shares.taken, 0);
  });
});

function room(bytes: number): Share {
  return new FairShares(2 * bytes).take("org", 0)!;
}

/** Without room for more than one chunk. */
function streamOf(database: Database, timeMs: number, memory = room(0)) {
  return readStream(database, (reader) => chunksOf(reader, timeMs), memory);
}

/** Yields the number of names, then each name. */
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
  for await (const chunk of chunks) {
    // They go to another thread without a copy.
    const { buffer } = chunk;
    const taken = structuredClone(chunk, { transfer: [buffer as ArrayBuffer] });
    yield new TextDecoder().decode(taken);
  }
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
