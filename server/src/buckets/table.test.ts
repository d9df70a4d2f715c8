import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { onEachDatabase } from "../database/test-databases.ts";
import type { Database } from "../database/database.ts";
import { bucketConformance } from "./conformance.ts";
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

  bucketConformance(`table, ${fresh.dialect}`, async () => {
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
});
