import assert from "node:assert/strict";
import { test } from "node:test";
import { storeUse } from "./sealed-objects.ts";

const bytesOf = { points: 8, identifiers: 1 };
const seal = 262_144;

test("a short experiment is two objects", () => {
  const use = storeUse(1_000, bytesOf);
  assert.deepEqual(use, { puts: 2, gets: 0, objects: 2, bytes: 9_000, writtenBytes: 9_000 });
});

test("eight segments of points are merged, and four of identifiers", () => {
  const use = storeUse(8 * seal, bytesOf);
  // Two objects a seal; one merger of points, two of identifiers: the second takes the first with
  // three seals.
  assert.equal(use.puts, 16 + 3);
  assert.equal(use.objects, 1 + 2);
  // Each is asked for its size and read.
  assert.equal(use.gets, 2 * (8 + 4 + 4));
  assert.equal(use.bytes, 8 * seal * 9);
  assert.equal(use.writtenBytes, seal * (8 * (8 + 8) + 8 + 4 + 7));
});

test("a long experiment keeps few objects, whatever its length", () => {
  const { objects } = storeUse(400 * seal, bytesOf);
  // Mergers of points end at 2,097,152 of them, of identifiers at 4,194,304.
  assert.ok(objects < 400 / 8 + 400 / 16 + 20, `${objects} objects`);
});
