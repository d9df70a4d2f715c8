import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ObjectMissing, ObjectShort, type Bucket, type SegmentBucket } from "./bucket.ts";

export interface OpenBucket<Kind extends Bucket> extends AsyncDisposable {
  /** An empty bucket that no other test uses. */
  bucket: Kind;
}

/** Tests of every bucket of sealed segments. */
export function segmentBucketConformance(
  name: string,
  open: () => Promise<OpenBucket<SegmentBucket>>,
): void {
  bucketConformance(name, open);
  const check = checkIn(name, open);

  check("an object is a local file", async (bucket) => {
    for (const size of sizes) {
      const key = `sizes/of-${size}.points`;
      await bucket.put(key, [content(size)]);
      assertSame(await readFile(await bucket.localFile(key)), content(size));
    }
    assertSame(await readFile(await bucket.localFile("sizes/of-2.points")), content(2));
  });

  check("an absent object is no local file", async (bucket) => {
    await assert.rejects(bucket.localFile("a/b"), ObjectMissing);
    await bucket.put("a/b", [content(10)]);
    await bucket.localFile("a/b");
    await bucket.delete("a/b");
    await assert.rejects(bucket.localFile("a/b"), ObjectMissing);
  });

  check("the end of an object is its last bytes, with its size", async (bucket) => {
    if (bucket.readEnd === undefined) return;
    await assert.rejects(bucket.readEnd("a/b", 10), ObjectMissing);
    for (const size of sizes) {
      await bucket.put(`ends/of-${size}.points`, [content(size)]);
      for (const wanted of [1, 10, size, size + 1]) {
        const { size: whole, bytes } = await bucket.readEnd(`ends/of-${size}.points`, wanted);
        assert.equal(whole, size);
        assertSame(Buffer.from(bytes), content(size).subarray(Math.max(0, size - wanted)));
      }
    }
  });

  check("refuses keys that the service would not make for segments", async (bucket) => {
    for (const key of ["A", "a b", "a\\b", "ä"])
      await assert.rejects(bucket.put(key, [content(1)]), /BUG/, key);
  });
}

/** Tests of every driver of a bucket. Each test opens a bucket of its own. */
export function bucketConformance(name: string, open: () => Promise<OpenBucket<Bucket>>): void {
  const check = checkIn(name, open);

  check("objects of any size and any division come back whole and in ranges", async (bucket) => {
    for (const size of sizes) {
      const whole = content(size);
      const key = `sizes/of-${size}.points`;
      const third = Math.floor(size / 3);
      await bucket.put(key, [
        whole.subarray(0, 1),
        new Uint8Array(0),
        whole.subarray(1, third + 1),
        whole.subarray(third + 1),
      ]);
      assert.equal(await bucket.size(key), size);
      assertSame(await bucket.read(key, 0, size), whole);
      for (const offset of [0, 1, third, size - 1].filter((each) => each >= 0 && each < size)) {
        for (const length of [0, 1, third, size - offset]) {
          if (offset + length > size) continue;
          assertSame(
            await bucket.read(key, offset, length),
            whole.subarray(offset, offset + length),
          );
        }
      }
    }
  });

  check("many small parts keep their order", async (bucket) => {
    const whole = content(300_000);
    const parts = [];
    for (let at = 0; at < whole.length; at += 97) parts.push(whole.subarray(at, at + 97));
    await bucket.put("many", parts);
    assertSame(await bucket.read("many", 0, whole.length), whole);
    await bucket.put("no-parts", []);
    assert.equal(await bucket.size("no-parts"), 0);
  });

  check("an absent object is ObjectMissing, one that ends early ObjectShort", async (bucket) => {
    await assert.rejects(bucket.read("a/b", 0, 1), ObjectMissing);
    await assert.rejects(bucket.read("a/b", 0, 0), ObjectMissing);
    await assert.rejects(bucket.size("a/b"), ObjectMissing);
    await bucket.put("a/b", [content(10)]);
    await assert.rejects(bucket.read("a/b", 0, 11), ObjectShort);
    await assert.rejects(bucket.read("a/b", 10, 1), ObjectShort);
    await assert.rejects(bucket.read("a/b", 11, 0), ObjectShort);
    assertSame(await bucket.read("a/b", 10, 0), new Uint8Array(0));
    await assert.rejects(bucket.read("a/c", 0, 1), ObjectMissing);
    await assert.rejects(bucket.read("a/b/c", 0, 1), ObjectMissing);
  });

  check("a key is used once; what it holds stays", async (bucket) => {
    await bucket.put("once", [content(5)]);
    await assert.rejects(bucket.put("once", [content(6)]));
    assertSame(await bucket.read("once", 0, 5), content(5));
    assert.equal(await bucket.size("once"), 5);
  });

  check("what was deleted is missing; deleting it again is no error", async (bucket) => {
    await bucket.put("gone/1", [content(100)]);
    await bucket.read("gone/1", 0, 100);
    await bucket.delete("gone/1");
    await bucket.delete("gone/1");
    await bucket.delete("never/there");
    await assert.rejects(bucket.read("gone/1", 0, 1), ObjectMissing);
    await assert.rejects(bucket.size("gone/1"), ObjectMissing);
    assert.deepEqual(await keys(bucket, ""), []);
  });

  check("list gives the keys with a prefix, whether or not it ends at a slash", async (bucket) => {
    const before = Date.now();
    assert.deepEqual(await keys(bucket, ""), []);
    for (const key of ["x/1.points", "x/10.points", "x/y/2.points", "xx", "a-b_c.d"]) {
      await bucket.put(key, [content(key.length)]);
    }
    assert.deepEqual(await keys(bucket, ""), [
      "a-b_c.d",
      "x/1.points",
      "x/10.points",
      "x/y/2.points",
      "xx",
    ]);
    assert.deepEqual(await keys(bucket, "x"), ["x/1.points", "x/10.points", "x/y/2.points", "xx"]);
    assert.deepEqual(await keys(bucket, "x/"), ["x/1.points", "x/10.points", "x/y/2.points"]);
    assert.deepEqual(await keys(bucket, "x/1"), ["x/1.points", "x/10.points"]);
    assert.deepEqual(await keys(bucket, "x/y/2.points"), ["x/y/2.points"]);
    assert.deepEqual(await keys(bucket, "y"), []);
    for await (const { key, sizeBytes, modifiedMs } of bucket.list("")) {
      assert.equal(sizeBytes, key.length);
      assert.ok(modifiedMs > before - 60_000 && modifiedMs < Date.now() + 60_000);
    }
  });

  check("stores and reads at the same time", async (bucket) => {
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    await Promise.all(
      numbers.map((number) => bucket.put(`many/${number}`, [content(1000 + number)])),
    );
    const reads = [...numbers, ...numbers].map(async (number) => {
      assertSame(
        await bucket.read(`many/${number}`, number, 1000),
        content(1000 + number).subarray(number),
      );
    });
    await Promise.all(reads);
    const deletes = numbers.map((number) => bucket.delete(`many/${number}`));
    await Promise.all(deletes);
    assert.deepEqual(await keys(bucket, "many/"), []);
  });

  check("refuses keys that the service would not make", async (bucket) => {
    for (const key of unsoundKeys) {
      await assert.rejects(bucket.put(key, [content(1)]), /BUG/, key);
    }
  });
}

/** Runs `work` on a fresh bucket as a test of this name. */
export function checkIn<Kind extends Bucket>(name: string, open: () => Promise<OpenBucket<Kind>>) {
  return (sentence: string, work: (bucket: Kind) => Promise<void>): void => {
    test(`${name}: ${sentence}`, async () => {
      await using opened = await open();
      await work(opened.bucket);
    });
  };
}

/** Keys that leave their place in a path, or are none. */
export const unsoundKeys = ["", "/a", "a/", "a//b", "../a", "a/../b", "a/.", "a/./b", "a\0", "a\n"];

const sizes = [0, 1, 2, 4095, 65_536, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1, 2_500_000];

export function content(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8) * 13) % 251);
}

export function assertSame(actual: Uint8Array, expected: Uint8Array): void {
  assert.ok(Buffer.compare(actual, expected) === 0, `${actual.length} bytes differ`);
}

export async function keys(bucket: Bucket, prefix: string): Promise<string[]> {
  const found = await Array.fromAsync(bucket.list(prefix), ({ key }) => key);
  return found.sort();
}
