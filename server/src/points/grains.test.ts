import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NewerFormat } from "../ground/newer-format.ts";
import { crc32 } from "node:zlib";
import { CorruptData } from "./corrupt-data.ts";
import { decodeGrains, encodeGrains, grainExponent, grainsOf, type Grains } from "./grains.ts";
import { sortPoints, slice } from "./sorted-points.ts";
import type { Points } from "./tail.ts";

const chunk = fc
  .record({
    count: fc.integer({ min: 480, max: 1_400 }),
    steps: fc.constantFrom(1, 5, 700, 2 ** 40, 2 ** 53 - 1),
    values: fc.constantFrom(2, 6, 1e12),
    seed: fc.nat(),
  })
  .map(({ count, steps, values, seed }) => {
    let state = seed;
    const column = (below: number) =>
      Float64Array.from({ length: count }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      });
    const value = column(values).map((each) => each / 4 - values / 8);
    return sortPoints({ step: column(steps), timestamp: column(900), value }, "step");
  });

test("a grain says what the points of its cell are, and comes back as it was", () => {
  const property = fc.property(fc.array(chunk, { minLength: 1, maxLength: 3 }), (chunks) => {
    const grains = chunks.map((points) => grainsOf(points));
    for (const [at, points] of chunks.entries()) assertGrains(points, grains[at]);
    if (grains.every(({ count }) => count.length === 0)) return;
    const counts = chunks.map(({ step }) => (step.length < 512 ? 0 : step.length));
    assert.deepEqual(decodeGrains(encodeGrains(grains), counts), grains);
  });
  fc.assert(property, { numRuns: 100 });
});

test("cells are the smallest that have 128 points on average", () => {
  assert.equal(grainExponent(511, 0, 510), undefined);
  assert.equal(grainExponent(8_192, 7, 8_198), 7);
  assert.equal(grainExponent(8_192, 0, 8_192), 8);
  assert.equal(grainExponent(8_192, 5, 5), 0);
  assert.equal(grainExponent(512, 0, 2 ** 53 - 2), 51);
});

test("no flipped bit and no truncation gives wrong grains", () => {
  const bytes = encodeGrains([grainsOf(regular(600))]);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Uint8Array.from(bytes);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    assert.throws(() => decodeGrains(flipped, [600]), CorruptData, `bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => decodeGrains(bytes.subarray(0, length), [600]), CorruptData);
  }
  assert.throws(() => decodeGrains(Uint8Array.of(...bytes, 0), [600]), CorruptData);
});

test("what has the right checksum and is no grains is CorruptData, or grains", () => {
  const bytes = encodeGrains([grainsOf(regular(600)), grainsOf(regular(2_000))]);
  const property = fc.property(
    fc.nat(bytes.length - 9),
    fc.nat(255),
    fc.option(fc.nat(bytes.length), { freq: 4 }),
    (at, byte, length) => {
      const wrong = Uint8Array.from(bytes.subarray(0, Math.max(length ?? bytes.length, 12)));
      if (8 + at < wrong.length) wrong[8 + at] = byte;
      sign(wrong);
      try {
        decodeGrains(wrong, [600, 2_000]);
      } catch (error) {
        assert.ok(error instanceof CorruptData, String(error));
      }
    },
  );
  fc.assert(property, { numRuns: 3_000 });
});

test("grains of other chunks, and of a later version, are refused", () => {
  const bytes = encodeGrains([grainsOf(regular(600))]);
  for (const counts of [[599], [601], [600, 600], [0, 0], []]) {
    assert.throws(() => decodeGrains(bytes, counts), CorruptData, counts.join());
  }
  bytes[4] = 2;
  sign(bytes);
  assert.throws(() => decodeGrains(bytes, [600]), NewerFormat);
});

function sign(bytes: Uint8Array): void {
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, crc32(bytes.subarray(4)), true);
}

function regular(count: number): Points {
  const column = (at: (i: number) => number) =>
    Float64Array.from({ length: count }, (_, i) => at(i));
  return { step: column((i) => i), timestamp: column((i) => 10 * i), value: column(Math.sin) };
}

/** Point by point. */
function assertGrains(points: Points, grains: Grains): void {
  const count = points.step.length;
  const exponent = grainExponent(count, points.step[0], points.step[count - 1]);
  if (exponent === undefined) return assert.equal(grains.count.length, 0);
  const cells = Map.groupBy(points.step.keys(), (row) =>
    Math.floor(points.step[row] / 2 ** exponent),
  );
  assert.equal(grains.count.length, cells.size);
  for (const [at, rows] of [...cells.values()].entries()) {
    const { step, timestamp, value } = slice(points, rows[0], rows.at(-1)! + 1);
    const [min, max] = [Math.min(...value), Math.max(...value)];
    const [least, largest] = [min, max].map((each) => value.findIndex((one) => one === each));
    const expected = {
      count: rows.length,
      first: value[0],
      firstStep: step[0],
      firstTimestamp: timestamp[0],
      last: value.at(-1)!,
      lastStep: step.at(-1)!,
      lastTimestamp: timestamp.at(-1)!,
      min: value[least],
      minStep: step[least],
      minTimestamp: timestamp[least],
      max: value[largest],
      maxStep: step[largest],
      maxTimestamp: timestamp[largest],
      sum: value.reduce((sum, each) => sum + each, 0),
    };
    for (const [name, each] of Object.entries(expected)) {
      assert.deepEqual(grains[name as keyof Grains][at], each, `${name} of grain ${at}`);
    }
  }
}
