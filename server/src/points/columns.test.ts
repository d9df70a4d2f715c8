import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeValues, encodeValues } from "./columns.ts";
import { CorruptData } from "./corrupt-data.ts";
import { decodeIntegers, encodeIntegers } from "./integers.ts";

const max = Number.MAX_SAFE_INTEGER;

function integersAgain(values: readonly number[]): { bytes: number; values: number[] } {
  const block = encodeIntegers(Float64Array.from(values));
  const output = new Float64Array(values.length);
  decodeIntegers(block, output);
  return { bytes: block.length, values: [...output] };
}

function valuesAgain(column: Float64Array): { mode: number; bytes: number; column: Float64Array } {
  const blocks = encodeValues(column);
  const output = new Float64Array(column.length);
  let next = 0;
  decodeValues(() => blocks[next++], output);
  assert.equal(next, blocks.length);
  const bytes = blocks.reduce((sum, block) => sum + block.length, 0);
  return { mode: blocks[0][0], bytes, column: output };
}

const bits = (column: Float64Array): string =>
  Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString("hex");

function assertExact(values: readonly number[], mode?: number): void {
  const column = Float64Array.from(values);
  const again = valuesAgain(column);
  assert.equal(bits(again.column), bits(column));
  if (mode !== undefined) assert.equal(again.mode, mode, `mode of ${values.slice(0, 4).join()}`);
}

test("integers at both ends of the range, where differences of differences pass 2^53, are exact", () => {
  const extremes = [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 52 - 1, 2 ** 52, 2 ** 52 + 1, max - 1, max];
  for (const a of extremes) {
    for (const b of extremes) {
      for (const c of extremes) {
        assert.deepEqual(integersAgain([a, b, c, a]).values, [a, b, c, a]);
      }
    }
  }
});

test("every column of integers is exact", () => {
  const integer = fc.oneof(
    fc.maxSafeNat(),
    fc.nat(300),
    fc.constantFrom(0, 1, max, max - 1, 2 ** 52, 2 ** 52 - 1, 2 ** 31, 2 ** 32),
    fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
  );
  fc.assert(
    fc.property(fc.array(integer, { minLength: 1, maxLength: 60 }), (values) => {
      assert.deepEqual(integersAgain(values).values, values);
      const sorted = values.toSorted((a, b) => a - b);
      assert.deepEqual(integersAgain(sorted).values, sorted);
    }),
    { numRuns: 3000 },
  );
});

test("a regular column takes a few bytes however long it is", () => {
  const steps = Array.from({ length: 8192 }, (_, i) => i * 50);
  assert.ok(integersAgain(steps).bytes <= 4);
  const down = Array.from({ length: 1000 }, (_, i) => max - 3 * i);
  assert.deepEqual(integersAgain(down).values, down);
  assert.ok(integersAgain(down).bytes <= 10);
  assert.deepEqual(integersAgain([7]).values, [7]);
});

test("each kind of value takes the mode made for it", () => {
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  const [constant, decimal, float32, float64] = [0, 1, 2, 3];
  assertExact(
    numbers.map(() => 0.1),
    constant,
  );
  assertExact([-0, -0, -0], constant);
  assertExact([Number.MIN_VALUE], constant);
  assertExact(
    numbers.map((i) => Math.round(Math.sin(i) * 10_000) / 10_000 + 0),
    decimal,
  );
  assertExact(
    numbers.map((i) => i / 512),
    decimal,
  );
  assertExact(
    numbers
      .map((i) => 1e15 * i)
      .slice(0, 1)
      .concat(3),
    decimal,
  );
  assertExact(
    numbers.map((i) => Math.fround(Math.sin(i))),
    float32,
  );
  assertExact([0, -0, 1], float32);
  assertExact(
    numbers.map((i) => Math.sin(i)),
    float64,
  );
  assertExact([1e300, -1e-300, 5e-324, 1.7976931348623157e308], float64);
  assertExact([0.1, 0.2, 0.30000000000000004], float64);
});

test("multiples of a common unit cost a byte each", () => {
  const accuracies = Array.from({ length: 1000 }, (_, i) => ((i * 37) % 60) / 512 + 0.5);
  assert.ok(valuesAgain(Float64Array.from(accuracies)).bytes < 1030);
});

test("every column of values is exact, bit by bit", () => {
  const kinds = [
    fc.double(),
    fc.double({ min: 0, max: 2, noNaN: true }),
    fc.double().map((value) => Math.fround(value)),
    fc.integer().map((value) => value / 10_000 + 0),
    fc.tuple(fc.integer(), fc.nat(17)).map(([integer, exponent]) => integer / 10 ** exponent),
    fc.maxSafeInteger(),
    fc.constantFrom(
      0,
      -0,
      1,
      -1,
      0.1,
      5e-324,
      -5e-324,
      2.2250738585072014e-308,
      1.7976931348623157e308,
    ),
  ];
  const column = fc.oneof(...kinds.map((kind) => fc.array(kind, { minLength: 1, maxLength: 50 })));
  const mixed = fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(fc.oneof(column, mixed), (values) => assertExact(values)),
    { numRuns: 5000 },
  );
});

test("every bit pattern is exact, NaN payloads too", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 160 }), (bytes) => {
      const column = new Float64Array(bytes.slice(0, bytes.length - (bytes.length % 8)).buffer);
      assert.equal(bits(valuesAgain(column).column), bits(column));
    }),
    { numRuns: 2000 },
  );
});

test("a block that is too short, too long or of an unknown mode is CorruptData", () => {
  const output = new Float64Array(3);
  const block = encodeIntegers(Float64Array.of(1, 5, 900_000));
  assert.throws(() => decodeIntegers(block.slice(0, -1), output), CorruptData);
  assert.throws(() => decodeIntegers(Uint8Array.of(...block, 0), output), CorruptData);
  assert.throws(() => decodeIntegers(Uint8Array.of(9, 0, 0), output), CorruptData);
  assert.throws(() => decodeIntegers(new Uint8Array(0), output), CorruptData);
  for (const values of [
    [1, 1, 1],
    [1, 2, 3],
    [0, -0, 1],
    [0.1, 1e300, 3],
  ]) {
    const blocks = encodeValues(Float64Array.from(values));
    for (const change of [
      (b: Uint8Array) => b.slice(0, -1),
      (b: Uint8Array) => Uint8Array.of(...b, 0),
    ]) {
      const changed = [...blocks.slice(0, -1), change(blocks.at(-1)!)];
      let next = 0;
      assert.throws(() => decodeValues(() => changed[next++], output), CorruptData);
    }
  }
  assert.throws(() => decodeValues(() => Uint8Array.of(4), output), CorruptData);
});
