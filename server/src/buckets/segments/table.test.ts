import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { Database } from "../../database/database.ts";
import { segmentBucketConformance } from "../conformance.fixture.ts";
import { LocalCopies } from "./local-copies.ts";
import { TableBucket } from "./table.ts";

onEachDatabase((fresh) => {
  let directory: string;
  let database: Database;
  let bucket: TableBucket;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "lossless-copies-"));
    database = await fresh.openMigrated();
    bucket = new TableBucket(database, directory);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const content = (size: number) =>
    Uint8Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) % 251);

  segmentBucketConformance(`table, ${fresh.dialect}`, async () => {
    const own = await mkdtemp(join(tmpdir(), "lossless-copies-"));
    await database.write(async (transaction) => {
      await transaction.run("DELETE FROM object_part");
      await transaction.run("DELETE FROM object");
    });
    return {
      bucket: new TableBucket(database, own),
      [Symbol.asyncDispose]: () => rm(own, { recursive: true, force: true }),
    };
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

  test("a copy with a wrong bit is served by nobody who opens it anew, and is replaced", async () => {
    await bucket.put("flipped", [content(3_000_000)]);
    const path = await bucket.localFile("flipped");
    const bytes = await readFile(path);
    bytes[2_000_000] ^= 1;
    for (const damaged of [bytes, bytes.subarray(0, 1_000), Buffer.concat([bytes, bytes])]) {
      await writeFile(path, damaged);
      const other = new TableBucket(database, directory);
      assert.deepEqual(
        await other.read("flipped", 1_999_990, 20),
        content(3_000_000).subarray(1_999_990, 2_000_010),
      );
      await writeFile(path, damaged);
      const third = new TableBucket(database, directory);
      assert.equal(
        Buffer.compare(await readFile(await third.localFile("flipped")), content(3e6)),
        0,
      );
    }
  });

  test("without a directory for copies, objects are read from the database", async () => {
    const occupied = join(directory, "occupied");
    await writeFile(occupied, "a file where the directory should be");
    const own = new TableBucket(database, occupied);
    await own.put("uncopied", [content(100)]);
    for (let count = 0; count < 40; count++)
      assert.deepEqual(await own.read("uncopied", 90, 10), content(100).subarray(90));
    await assert.rejects(own.localFile("uncopied"), { name: "DatabaseError", kind: "unavailable" });
    await own.delete("uncopied");
  });

  test("on a full disk objects are read from the database, and the copies make room", async (t) => {
    await bucket.put("homeless", [content(100)]);
    await bucket.localFile("homeless");
    const noSpace = Object.assign(new Error("no space"), { code: "ENOSPC", syscall: "write" });
    t.mock.method(LocalCopies.prototype, "path", () => Promise.reject(noSpace));
    for (let count = 0; count < 40; count++)
      assert.deepEqual(await bucket.read("homeless", 90, 10), content(100).subarray(90));
    await assert.rejects(bucket.localFile("homeless"), { name: "DatabaseError", kind: "full" });
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name.endsWith(".copy")),
      [],
    );
    assert.deepEqual(await bucket.read("homeless", 90, 10), content(100).subarray(90));
  });
});
