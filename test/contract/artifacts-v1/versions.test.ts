import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageRow } from "@lossless/protocol";
import { ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, fails, fetchBytes, type Files, sendParts } from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

const small: Files = { "model.bin": Buffer.from("weights") };

topic("versions of artifacts", (system) => {
  const acme = new ArtifactCaller(system, organizations.acme.key);

  test("a version of large, empty and oddly named files comes back byte for byte", async () => {
    const artifact = `runs/ü ${uniqueName("a%2f+&")}`;
    const files: Files = {
      "large.bin": Buffer.alloc(17 * 1_048_576 + 3, "abcdefg"),
      empty: Buffer.alloc(0),
      "dir/日本 語+%.txt": Buffer.from("text"),
    };
    const meta = { step: 7, nested: { "": [null, "\u{1f600}", 0.1] } };
    assert.deepEqual(await acme.open(artifact), { epoch: 1, version: null, source: null });
    const upload = await acme.begin(artifact, "000000000007", 1, files, meta);
    assert.deepEqual(
      upload.files.map(({ name, size, partSize, parts }) => [name, size, partSize, parts.length]),
      [
        ["large.bin", 17 * 1_048_576 + 3, 8 * 1_048_576, 3],
        ["empty", 0, 8 * 1_048_576, 1],
        ["dir/日本 語+%.txt", 4, 8 * 1_048_576, 1],
      ],
    );
    assert.deepEqual([upload.placement.match, upload.warning], [null, null]);
    await fails(acme.request("versions/read", { artifact, version: "latest" }), 404, "not_found");
    const sent = await sendParts(upload, files);
    const done = ok<object>(await acme.commit(artifact, upload.upload, 1, sent.toReversed()), 200);
    const record = await acme.read(artifact, "latest", { urls: "1" });
    const { files: found, expires, location, ...rest } = record;
    assert.deepEqual(rest, {
      artifact,
      version: "000000000007",
      committed: rest.committed,
      transfer: "unknown",
      bytes: 17 * 1_048_576 + 7,
      meta,
      source: "test",
    });
    assert.deepEqual(done, { version: "000000000007", committed: rest.committed });
    assert.deepEqual(location, upload.placement.location);
    assert.ok(Math.abs(Date.parse(expires!) - Date.now() - 3_600_000) < 60_000);
    for (const { name, url } of found) {
      assert.ok(files[name].equals(await fetchBytes(url)), name);
    }
    const unsigned = await acme.read(artifact);
    assert.equal(unsigned.expires, null);
    assert.deepEqual(
      unsigned.files,
      found.map((file) => ({ ...file, url: null })),
    );
    assert.deepEqual(unsigned, await acme.read(artifact, "000000000007", { urls: "0" }));
  });

  test("the place of a reader decides transfer, and signed reads are counted", async () => {
    const artifact = uniqueName("usage");
    await acme.open(artifact);
    await acme.write(artifact, "1", 1, small);
    const { location } = await acme.read(artifact);
    const { cloud, region } = location;
    const transferOf = async (query: Record<string, string>) =>
      (await acme.read(artifact, "1", { urls: "1", ...query })).transfer;
    assert.equal(await transferOf({ cloud, region }), "local");
    assert.equal(await transferOf({ cloud, region: "x" }), "cross-region");
    assert.equal(await transferOf({ cloud: "x", region }), "cross-cloud");
    assert.equal(await transferOf({ region }), "unknown");
    const reader = uniqueName("cloud");
    for (const urls of ["1", "1", "0"]) await acme.read(artifact, "1", { urls, cloud: reader });
    const { rows } = ok<{ rows: UsageRow[] }>(await acme.request("usage", {}), 200);
    assert.deepEqual(
      rows.filter(({ placeCloud }) => placeCloud === reader),
      [
        {
          day: new Date().toISOString().slice(0, 10),
          kind: "read",
          placeCloud: reader,
          placeRegion: "",
          location: location.id,
          match: null,
          transfer: "cross-cloud",
          bytes: 14,
          count: 2,
        },
      ],
    );
  });
});
