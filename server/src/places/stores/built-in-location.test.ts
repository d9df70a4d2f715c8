import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { StoreError } from "../../buckets/bucket.ts";
import { identityFileName } from "../../buckets/built-in/identity.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { TestNode } from "../../database/node.fixture.ts";
import { createLog } from "../../ground/log.ts";
import { ConfigError } from "../../settings/options.ts";
import { openBuiltIn } from "./built-in-location.ts";
import { BuiltInObjects } from "./signed-objects.ts";
import { NodeStorage } from "../../artifacts/versions/walks.fixture.ts";

onEachDatabase((fresh) => {
  test("a node with another directory is told, and refuses the location until it has the right one", async () => {
    const storage = new NodeStorage(new TestNode(await fresh.openMigrated()));
    await using root = await mkdtempDisposable(join(tmpdir(), "built-in-location-"));
    let warning = "";
    let warned = 0;
    const open = (name: string) => {
      const directory = join(root.path, name);
      const settings = { directory, signingKey: new Uint8Array(32), baseUrl: () => "http://x" };
      return openBuiltIn(settings, storage, (sentence) => {
        warning = sentence;
        warned += 1;
      });
    };
    await (await open("first")).put("a/b/c", []);
    assert.equal(await (await open("first")).size("a/b/c"), 0);
    assert.equal(warned, 0);
    const served = await open("first");
    const other = await open("other");
    assert.equal(warned, 1);
    const isRefused = (error: unknown) => {
      return error instanceof StoreError && error.message === warning;
    };
    await assert.rejects(other.startUpload("a/b/c"), isRefused);
    await assert.rejects(other.size("a/b/c"), isRefused);
    const idOf = (name: string) => join(root.path, name, identityFileName);
    const id = await readFile(idOf("first"), "utf8");
    assert.ok(warning.includes(id.trim()), warning);
    await writeFile(idOf("other"), id);
    await (await open("other")).startUpload("a/b/c");
    assert.equal(warned, 1);
    await rename(join(root.path, "first"), join(root.path, "away"));
    await mkdir(join(root.path, "first"));
    const isGone = (error: unknown) =>
      error instanceof StoreError && error.code === "directory gone";
    await assert.rejects(served.startUpload("a/b/d"), isGone);
    const { addresses } = await served.signReads([{ key: "a/b/c" }], 60_000);
    const { searchParams } = new URL(addresses[0]);
    const [expires, signature] = ["expires", "signature"].map((name) => searchParams.get(name)!);
    const objects = new BuiltInObjects(
      served,
      storage,
      createLog("silent", () => {}),
    );
    await assert.rejects(objects.open({ key: "a/b/c", expires, name: "", signature }), {
      code: "unavailable",
    });
    await rm(join(root.path, "first"), { recursive: true });
    await rename(join(root.path, "away"), join(root.path, "first"));
    await served.startUpload("a/b/d");
    await writeFile(idOf("other"), "?");
    await assert.rejects(open("other"), ConfigError);
    await assert.rejects(open(`first/${identityFileName}/below`), ConfigError);
  });
});
