import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../ground/ids.ts";
import { keysOf, manifestKeyOf, rootOf, uploadIdsIn } from "./object-key.ts";

const uploadId = newId(1_800_000_000_000);
const scheme = {
  readable: true,
  path: "team/x",
  organizationId: "org",
  artifact: "runs/ü 7",
  version: "001",
  uploadId,
};

test("people find their files in their own bucket by the names they gave", () => {
  const { prefix, names } = keysOf(scheme, ["a/b.bin", "c d"]);
  assert.equal(prefix, `team/x/org/runs/ü 7/001/${uploadId}/`);
  assert.deepEqual(names, ["a/b.bin", "c d"]);
  assert.equal(manifestKeyOf(prefix), `${prefix}_manifest.json`);
  assert.ok(prefix.startsWith(rootOf(scheme)));
  assert.equal(keysOf({ ...scheme, path: "" }, ["x"]).prefix.startsWith("org/"), true);
});

test("elsewhere no name of a user gets into a key", () => {
  const { prefix, names } = keysOf({ ...scheme, readable: false }, ["a/b.bin", "c d"]);
  assert.equal(prefix, `org/${uploadId}/`);
  assert.deepEqual(names, ["0", "1"]);
});

test("keys have at most 1,024 bytes, whatever is long, and none is that of another file", () => {
  const word = "é".repeat(127);
  const long = Array.from({ length: 4 }, () => word).join("/");
  for (const artifact of ["a", `${long}/1`]) {
    for (const path of ["", "p".repeat(512)]) {
      const files = [`${long}/1`, `${long}/2`, "short", "s".repeat(255)];
      const { prefix, names } = keysOf({ ...scheme, artifact, path }, files);
      const keys = names.map((name) => prefix + name);
      for (const key of keys) assert.ok(Buffer.byteLength(key) <= 1_024, key);
      assert.equal(new Set(keys).size, files.length);
      assert.ok(names.includes("short"));
    }
  }
});

test("the upload of a key is among the words that look like one", () => {
  const other = newId(1_800_000_000_000);
  const { prefix, names } = keysOf({ ...scheme, artifact: `a/${other}` }, [`${other}/x`]);
  assert.deepEqual(uploadIdsIn(prefix + names[0]), [other, uploadId, other]);
  assert.deepEqual(uploadIdsIn("somebody/else's/file"), []);
});
