import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { TestWalks } from "./walks.fixture.ts";

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("an upload tells what its store has; many who look ask once, and nobody for a whole file again", async () => {
    const walks = await TestWalks.open(node);
    const { organizationId } = walks;
    const { epoch } = await walks.open("a");
    const files = {
      small: Buffer.from("12"),
      large: Buffer.alloc(9 << 20),
      empty: Buffer.alloc(0),
    };
    const upload = await walks.begin("a", "1", epoch, files);
    const name = { organizationId, artifact: "a", uploadId: upload.upload };
    const look = () => walks.versions.sentBytes(name);
    const later = () => (node.nowMs += 3_000);
    const asked = () => walks.home.calls.filter(({ call }) => call === "listParts").length;
    const bytes = (9 << 20) + 2;
    const begun = { files: 3, filesSent: 1, bytes, sentBytes: 0 };
    assert.deepEqual(await Promise.all([look(), look()]), [begun, begun]);
    assert.equal(asked(), 2);
    const urls = upload.files.map(({ parts }) => parts.map(({ url }) => url));
    walks.home.send(urls[0][0], files.small);
    walks.home.send(urls[1][0], files.large.subarray(0, 8 << 20));
    assert.deepEqual(await look(), begun);
    later();
    assert.deepEqual(await look(), { ...begun, filesSent: 2, sentBytes: (8 << 20) + 2 });
    assert.equal(asked(), 4);
    later();
    walks.home.failing = "listParts";
    await assert.rejects(look(), failsWith("upstream"));
    assert.equal(asked(), 5, "only of the large one");
    walks.home.failing = undefined;
    later();
    await walks.commit("a", upload, epoch, walks.send(upload, files));
    await assert.rejects(look(), failsWith("not_found"));
    later();
    const foreign = { ...name, organizationId: await node.newOrganization() };
    await assert.rejects(walks.versions.sentBytes(foreign), failsWith("not_found"));
  });

  test("of very many files the largest are looked at", async () => {
    const walks = await TestWalks.open(node);
    const { epoch } = await walks.open("many");
    const most = limits.lookedAtFilesMax;
    const files = Object.fromEntries(
      Array.from({ length: most + 5 }, (_, at) => [`f${at}`, Buffer.alloc(at)]),
    );
    const { upload } = await walks.begin("many", "1", epoch, files);
    const { organizationId } = walks;
    const found = await walks.versions.sentBytes({
      organizationId,
      artifact: "many",
      uploadId: upload,
    });
    const sizes = Array.from({ length: most }, (_, at) => at + 5);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.deepEqual(found, { files: most, filesSent: 0, bytes, sentBytes: 0 });
  });
});
