import assert from "node:assert/strict";
import { test } from "node:test";
import type { VersionsPage } from "@lossless/protocol";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { place, TestWalks } from "./walks.fixture.ts";

const files = { "model.bin": Buffer.alloc(9 * 1_048_576, 7), empty: Buffer.alloc(0) };
const small = { "a/ü file.txt": Buffer.from("a") };

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("the manifest beside the files tells everything that the record tells", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("m");
    const metaText = '{"seed":12345678901234567890,"z":-0,"f":1.0,"e":"\\u00e9"}';
    const upload = await walks.begin("m", "v1", 1, files, { metaText });
    const sent = walks.send(upload, files);
    const { committed } = await walks.commit("m", upload, 1, sent);
    const [key] = [...walks.home.objects.keys()].filter((each) => each.endsWith("_manifest.json"));
    const text = Buffer.from(walks.home.objects.get(key)!).toString();
    assert.ok(text.includes(`,"meta":${metaText},"source":`), "letter by letter");
    const manifest = JSON.parse(text);
    const prefix = `${walks.organizationId}/m/v1/${upload.upload}/`;
    assert.deepEqual(manifest, {
      format: "lossless-version-1",
      organization: walks.organizationId,
      artifact: "m",
      version: "v1",
      epoch: 1,
      upload: upload.upload,
      committed,
      location: upload.placement.location,
      bytes: files["model.bin"].length,
      meta: JSON.parse(metaText),
      source: "test",
      files: upload.files.map(({ name, size, partSize }, at) => ({
        name,
        size,
        partSize,
        key: prefix + name,
        etags: sent[at].etags.map((etag) => etag.replaceAll('"', "")),
      })),
    });
  });

  test("open: a store that does not sign hides no epoch", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    await walks.write("a", "1", 1, small);
    walks.home.failing = "signReads";
    const unsigned = await walks.open("a", "latest");
    assert.equal(unsigned.epoch, 2);
    assert.equal(unsigned.version?.expires, null);
    assert.ok(unsigned.version?.files.every(({ url }) => url === null));
    assert.equal(walks.warnings.length, 1);
    await assert.rejects(walks.read("a"), failsWith("upstream"));
  });

  test("a location that does not sign is skipped too, and what it had begun is removed", async () => {
    const walks = await TestWalks.open(node);
    const near = await walks.addLocation({ name: "near", cloud: "gcp", region: "g" });
    await walks.open("a");
    near.failing = "signParts";
    const upload = await walks.begin("a", "1", 1, small, { place: { ...place, cloud: "gcp" } });
    const [home] = walks.buckets.keys();
    assert.equal(upload.placement.location.id, home);
    assert.equal(upload.warning, null, "it was not the better place");
    const at = { ...place, cloud: "gcp", region: "g" };
    const moved = await walks.begin("a", "2", 1, small, { place: at });
    assert.equal(moved.placement.location.id, home);
    assert.match(moved.warning!, /"near" failed to begin the uploads: SlowDown/);
    const queued = await node.all<{ reason: string }>(
      "SELECT reason FROM removal JOIN upload ON upload = id WHERE organization = $1",
      walks.organizationId,
    );
    assert.deepEqual(
      queued.map(({ reason }) => reason),
      ["failed"],
    );
    await walks.commit("a", moved, 1, walks.send(moved, small));
    // One that begins uploads and then never signs is given up like one that never begins.
    const end = Promise.withResolvers<void>();
    near.failing = undefined;
    near.before = (call) => (call === "signParts" ? end.promise : undefined);
    const impatient = walks.again(node, "", 1_000);
    const later = await impatient.begin("a", "3", 1, small, { place: at });
    assert.equal(later.placement.location.id, home);
    assert.match(later.warning!, /"near" failed to begin the uploads: timeout/);
    end.resolve();
  });

  test("files that no store takes are refused before anything is written", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    walks.home.limits = { partsMax: 1, partBytesMin: 1, partBytesMax: 8 * 1_048_576 };
    await assert.rejects(walks.begin("a", "1", 1, files), failsWith("bad_request"));
    const rows = await node.all(
      "SELECT id FROM upload WHERE organization = $1",
      walks.organizationId,
    );
    assert.deepEqual(rows, []);
    assert.deepEqual(walks.home.calls, []);
  });

  test("a store that does not sign is asked once for a page, and the others' files are signed", async () => {
    const walks = await TestWalks.open(node);
    const list = async () => {
      const { organizationId } = walks;
      const input = { organizationId, artifact: "a", after: null, urls: true, place: {} };
      return JSON.parse(String(await walks.versions.list(input))) as VersionsPage;
    };
    await walks.open("a");
    for (const name of ["a", "b"]) await walks.write("a", name, 1, small);
    const far = await walks.addLocation({
      name: "far",
      cloud: "gcp",
      region: "r",
      isDefault: true,
    });
    const upload = await walks.begin("a", "c", 1, small, { place: { ...place, cloud: "gcp" } });
    await walks.commit("a", upload, 1, walks.send(upload, small));
    walks.home.failing = "signReads";
    const asked = walks.home.calls.length;
    const partly = await list();
    // Once for the whole page; files of other locations are signed.
    assert.deepEqual(
      walks.home.calls.slice(asked).map(({ call }) => call),
      ["signReads"],
    );
    assert.equal(walks.warnings.length, 1);
    assert.deepEqual(
      partly.versions.map(({ expires }) => expires === null),
      [true, true, false],
    );
    far.failing = "signReads";
    const unsigned = await list();
    assert.equal(unsigned.versions.length, 3);
    assert.ok(unsigned.versions.every(({ expires }) => expires === null));
  });
});
