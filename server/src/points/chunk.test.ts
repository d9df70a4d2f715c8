import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { NewerFormat } from "../ground/newer-format.ts";
import { decodeChunk, encodeChunk, pointsPerChunk, type ChunkColumns } from "./chunk.ts";
import { CorruptData } from "./corrupt-data.ts";

const row = fc.tuple(
  fc.maxSafeNat(),
  fc.maxSafeNat(),
  fc.double(),
  fc.oneof(fc.constant(0), fc.nat(5)),
  fc.maxSafeNat(),
);

function columnsOf(rows: [number, number, number, number, number][]): {
  [Name in keyof ChunkColumns]-?: NonNullable<ChunkColumns[Name]>;
} {
  return {
    step: Float64Array.from(rows, (each) => each[0]),
    timestamp: Float64Array.from(rows, (each) => each[1]),
    value: Float64Array.from(rows, (each) => each[2]),
    prefix: Uint32Array.from(rows, (each) => each[3]),
    counter: Float64Array.from(rows, (each) => (each[3] === 0 ? 0 : each[4])),
  };
}

test("a chunk comes back bit by bit, with and without its identifiers", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), (rows) => {
      const { step, timestamp, value, prefix, counter } = columnsOf(rows);
      const bytes = encodeChunk({ step, timestamp, value, prefix, counter });
      const allHashed = prefix.every((number) => number === 0);
      const identifiers = allHashed
        ? { prefix: undefined, counter: undefined }
        : { prefix, counter };
      assert.deepEqual(decodeChunk(bytes, true), { step, timestamp, value, ...identifiers });
      const without = decodeChunk(bytes);
      assert.deepEqual(without, { step, timestamp, value, prefix: undefined, counter: undefined });
      if (allHashed) assert.deepEqual(bytes, encodeChunk({ step, timestamp, value }));
    }),
    { numRuns: 1000 },
  );
});

test("a full chunk of a noisy loss comes back, from any alignment", () => {
  const step = Float64Array.from({ length: pointsPerChunk }, (_, i) => 10 * i);
  const timestamp = step.map((each) => 1_700_000_000_000 + 7 * each + ((each * 7919) % 23));
  const value = step.map((each) => Math.exp(-each / 10_000) + 0.01 * Math.sin(each * each));
  const bytes = encodeChunk({ step, timestamp, value });
  assert.ok(bytes.length / pointsPerChunk < 8.5);
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  const chunk = decodeChunk(shifted.subarray(3));
  assert.deepEqual(chunk.step, step);
  assert.deepEqual(chunk.timestamp, timestamp);
  assert.deepEqual(chunk.value, value);
});

const small = encodeChunk(
  columnsOf([
    [1, 1_700_000_000_000, 0.25, 1, 70],
    [2, 1_700_000_000_100, 1 / 3, 1, 71],
    [2, 1_700_000_000_250, 1e300, 0, 0],
    [9, 1_700_000_000_260, -0, 3, 9007199254740991],
  ]),
);

test("no flipped bit and no truncation gives a value", () => {
  for (let bit = 0; bit < small.length * 8; bit++) {
    const flipped = small.slice();
    flipped[bit >> 3] ^= 1 << (bit & 7);
    assert.throws(() => decodeChunk(flipped, true), CorruptData, `bit ${bit}`);
  }
  for (let length = 0; length < small.length; length++) {
    assert.throws(() => decodeChunk(small.subarray(0, length), true), CorruptData);
  }
  assert.throws(() => decodeChunk(Uint8Array.of(...small, 0)), CorruptData);
});

test("damaged identifiers do not keep the values from being read", () => {
  const flipped = small.slice();
  flipped[flipped.length - 1] ^= 1;
  assert.equal(decodeChunk(flipped).step.length, 4);
  assert.throws(() => decodeChunk(flipped, true), CorruptData);
});

test("an intact chunk of a later version is NewerFormat", () => {
  const newer = encodeChunk({
    step: Float64Array.of(1),
    timestamp: Float64Array.of(2),
    value: Float64Array.of(3),
  });
  newer[4] = 2;
  new DataView(newer.buffer).setUint32(0, crc32(newer.subarray(4)), true);
  assert.throws(() => decodeChunk(newer), NewerFormat);
});

test("a chunk without points or with too many is a bug of the caller", () => {
  for (const count of [0, pointsPerChunk + 1]) {
    const column = new Float64Array(count);
    assert.throws(() => encodeChunk({ step: column, timestamp: column, value: column }), /BUG/);
  }
});
