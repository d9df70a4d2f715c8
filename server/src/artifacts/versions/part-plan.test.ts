import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limits } from "@lossless/protocol/limits";
import { partBytes, planParts } from "./part-plan.ts";

const mebibyte = 1_048_576;
const store = { partsMax: 10_000, partBytesMin: 5 * mebibyte, partBytesMax: 5 * 1_024 * mebibyte };

const planOf = (sizes: number[], of = store) => {
  const files = planParts(sizes, of);
  assert.ok(files !== undefined, "it fits");
  return files;
};

test("small files are one part, an empty one too", () => {
  assert.deepEqual(planOf([0, 1, 8 * mebibyte, 8 * mebibyte + 1]), [
    { partSize: 8 * mebibyte, parts: 1 },
    { partSize: 8 * mebibyte, parts: 1 },
    { partSize: 8 * mebibyte, parts: 1 },
    { partSize: 8 * mebibyte, parts: 2 },
  ]);
  assert.equal(partBytes({ size: 0, partSize: 8, parts: 1 }, 1), 0);
});

test("a file has at most 1,000 parts as long as parts may be that large", () => {
  for (const size of [1e9, 1e10, 1e12, limits.fileBytesMax - 1]) {
    const [{ parts }] = planOf([size]);
    assert.ok(parts <= limits.partsPerFileAim + 25, `${parts}`);
  }
  // 5 TiB in 5 GiB parts.
  assert.deepEqual(planOf([limits.fileBytesMax]), [{ partSize: store.partBytesMax, parts: 1_024 }]);
});

test("all files together have at most 10,000 parts; parts grow no more than needed", () => {
  const sizes = Array.from({ length: 5_000 }, () => 100 * mebibyte);
  const files = planOf(sizes);
  assert.deepEqual(files[0], { partSize: 50 * mebibyte, parts: 2 });
  const mixed = planOf([...sizes.slice(1), limits.fileBytesMax]);
  assert.ok(mixed.reduce((sum, { parts }) => sum + parts, 0) <= limits.partsPerUploadMax);
});

test("where every address costs a call, an upload has fewer parts, but a file each its own", () => {
  const costly = { ...store, partsPerUploadMax: 1_000 };
  const files = planOf(
    Array.from({ length: 10 }, () => 1_000 * mebibyte),
    costly,
  );
  assert.deepEqual(files[0], { partSize: 10 * mebibyte, parts: 100 });
  assert.ok(files.reduce((sum, { parts }) => sum + parts, 0) <= 1_000);
  // 1,000 files are 1,000 parts: a large one beside them is not refused for it.
  const mixed = planOf([64 * 1_024 * mebibyte, ...Array.from({ length: 1_000 }, () => 1)], costly);
  assert.ok(mixed[0].parts >= 13 && mixed[0].parts <= 300, `${mixed[0].parts}`);
  const [{ parts }] = planOf([limits.fileBytesMax], costly);
  assert.ok(parts >= 1_024 && parts <= 1_280, `${parts}`);
  const many = planOf(
    Array.from({ length: 5_000 }, () => 20 * mebibyte),
    costly,
  );
  assert.ok(many.every(({ parts }) => parts === 1));
  assert.deepEqual(planOf([17 * mebibyte], costly), planOf([17 * mebibyte]));
  const all = Array.from({ length: 9 }, () => limits.fileBytesMax);
  assert.ok(planOf(all, costly).every((file) => file.parts >= 1_024));
});

test("what a store cannot take is said so", () => {
  const huge = Array.from({ length: 10 }, () => limits.fileBytesMax);
  assert.equal(planParts(huge, store), undefined);
  const few = { ...store, partsMax: 1_000, partBytesMax: 1_024 * mebibyte };
  assert.equal(planOf([1_000 * 1_024 * mebibyte], few)[0].parts, 1_000);
  assert.equal(planParts([1_000 * 1_024 * mebibyte + 1], few), undefined);
});

test("the parts of a file are exactly the file, all but the last of the same size", () => {
  const size = fc.oneof(fc.nat(100 * mebibyte), fc.integer({ min: 0, max: limits.fileBytesMax }));
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 8 }), (sizes) => {
      for (const [index, file] of planOf(sizes).entries()) {
        const whole = { ...file, size: sizes[index] };
        const last = partBytes(whole, file.parts);
        assert.equal((file.parts - 1) * file.partSize + last, whole.size);
        assert.ok(last >= 0 && last <= file.partSize && (last > 0 || whole.size === 0));
        assert.ok(file.parts === 1 || file.partSize >= store.partBytesMin);
      }
    }),
  );
});
