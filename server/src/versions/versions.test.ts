import assert from "node:assert/strict";
import { before, test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { StoreError } from "../buckets/bucket.ts";
import { onEachDatabase } from "../database/test-databases.ts";
import { failsWith, TestNode } from "../database/test-node.ts";
import { place, TestWalks } from "./test-walks.ts";

const files = { "model.bin": Buffer.alloc(9 * 1_048_576, 7), "empty": Buffer.alloc(0) };
const small = { "a/ü file.txt": Buffer.from("a") };

onEachDatabase((fresh) => {
  let node: TestNode;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
  });
  const usageOf = (walks: TestWalks) =>
    node.all<Record<string, unknown>>(
      "SELECT kind, match, transfer, bytes, count FROM usage WHERE organization = $1 ORDER BY kind DESC, transfer",
      walks.organizationId,
    );
  const stateOf = async (upload: { upload: string }) =>
    (await node.all<{ state: string }>("SELECT state FROM upload WHERE id = $1", upload.upload))[0]!
      .state;

  test("a version is opened, begun, sent, committed and read back", async () => {
    const walks = await TestWalks.open(node);
    assert.deepEqual(await walks.open("runs/a"), { epoch: 1, version: null, source: null });
    const upload = await walks.begin("runs/a", "001", 1, files, { meta: { step: 1 } });
    const [location] = walks.buckets.keys();
    assert.deepEqual(upload.placement, {
      location: { id: location, cloud: "aws", region: "us-east-1" },
      match: "region",
    });
    assert.equal(upload.warning, null);
    assert.equal(upload.expires, new Date(walks.home.expiresAtMs).toISOString());
    assert.deepEqual(
      upload.files.map(({ name, size, partSize, parts }) => [name, size, partSize, parts.length]),
      [
        ["model.bin", files["model.bin"].length, limits.partBytesMin, 2],
        ["empty", 0, limits.partBytesMin, 1],
      ],
    );
    await assert.rejects(walks.read("runs/a"), failsWith("not_found"));
    const done = await walks.commit("runs/a", upload, 1, walks.send(upload, files).toReversed());
    assert.equal(done.version, "001");
    const record = await walks.read("runs/a");
    assert.deepEqual(record, {
      artifact: "runs/a",
      version: "001",
      committed: done.committed,
      location: upload.placement.location,
      transfer: "local",
      bytes: files["model.bin"].length,
      meta: { step: 1 },
      source: "test",
      expires: upload.expires,
      files: record.files,
    });
    for (const { name, size, url } of record.files) {
      const bytes = await walks.home.read(url!.slice("test:".length), 0, size);
      assert.ok(Buffer.from(files[name as keyof typeof files]).equals(bytes));
    }
    assert.deepEqual(await usageOf(walks), [
      { kind: "write", match: "region", transfer: "local", bytes: record.bytes, count: 1 },
      { kind: "read", match: "", transfer: "local", bytes: record.bytes, count: 1 },
    ]);
  });
});
