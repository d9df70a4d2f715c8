import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { onEachDatabase } from "../database/test-databases.ts";
import { ObjectMissing, ObjectShort } from "./bucket.ts";
import { TableBucket } from "./table.ts";

onEachDatabase((fresh) => {
  let directory: string;
  let bucket: TableBucket;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "lossless-copies-"));
    bucket = new TableBucket(await fresh.openMigrated(), directory);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const content = (size: number) =>
    Uint8Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) % 251);

  test("objects of any size come back whole, as ranges and as a file", async () => {
    for (const size of [0, 1, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1, 2_500_000]) {
      const key = `sizes/${size}`;
      const whole = content(size);
      await bucket.put(key, [whole.subarray(0, 1), new Uint8Array(0), whole.subarray(1)]);
      assert.equal(await bucket.size(key), size);
      assert.deepEqual(await bucket.read(key, 0, size), whole);
      const middle = Math.max(0, size - 1_500_000);
      assert.deepEqual(await bucket.read(key, middle, size - middle), whole.subarray(middle));
      assert.deepEqual(new Uint8Array(await readFile(await bucket.localFile(key))), whole);
    }
  });

  test("a missing object and one that ends too early are told apart", async () => {
    await bucket.put("short/1", [content(10)]);
    await assert.rejects(bucket.read("short/1", 5, 6), ObjectShort);
    await assert.rejects(bucket.read("short/1", 11, 0), ObjectShort);
    await assert.rejects(bucket.read("short/2", 0, 1), ObjectMissing);
    await assert.rejects(bucket.read("short/2", 0, 0), ObjectMissing);
    await assert.rejects(bucket.size("short/2"), ObjectMissing);
    await assert.rejects(bucket.localFile("short/2"), ObjectMissing);
  });

  test("a key cannot be used twice", async () => {
    await bucket.put("once", [content(3)]);
    await assert.rejects(bucket.put("once", [content(4)]));
    assert.deepEqual(await bucket.read("once", 0, 3), content(3));
  });

  test("lists by prefix, deletes, and deleting again is no error", async () => {
    for (const key of ["list/a/1", "list/a/2", "list/b"]) await bucket.put(key, [content(5)]);
    const keys = async (prefix: string) => {
      const found = await Array.fromAsync(bucket.list(prefix));
      for (const { sizeBytes, modifiedMs } of found)
        assert.ok(sizeBytes === 5 && modifiedMs > 1e12);
      return found.map(({ key }) => key).sort();
    };
    assert.deepEqual(await keys("list/a/"), ["list/a/1", "list/a/2"]);
    await bucket.localFile("list/a/1");
    await bucket.delete("list/a/1");
    await bucket.delete("list/a/1");
    assert.deepEqual(await keys("list/"), ["list/a/2", "list/b"]);
    await assert.rejects(bucket.read("list/a/1", 0, 1), ObjectMissing);
  });

  test("a damaged copy is not believed, and one is made of an object that is read often", async () => {
    await bucket.put("often", [content(100)]);
    for (let count = 0; count < 40; count++) {
      assert.deepEqual(await bucket.read("often", 90, 10), content(100).subarray(90));
      const copy = (await readdir(directory)).find((name) => name.startsWith("often"));
      if (copy !== undefined && count === 20) await truncate(join(directory, copy), 50);
    }
    assert.ok((await readdir(directory)).some((name) => name.startsWith("often")));
  });
});
