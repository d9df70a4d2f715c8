import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CorruptData } from "./corrupt-data.ts";
import { decodeIntegers, encodeIntegers, IntegerRows } from "./integers.ts";

const max = Number.MAX_SAFE_INTEGER;
const count = 1_400;

/** Changes of one byte, of one or two, of more now and then, and any numbers. */
const columns = fc
  .record({
    first: fc.oneof(fc.constantFrom(0, 5, 2 ** 52 - 1, 2 ** 52, max), fc.maxSafeNat()),
    apart: fc.oneof(fc.constantFrom(0, 1, 1_000, 2 ** 41), fc.nat(2 ** 30)),
    jitter: fc.constantFrom(1, 20, 4_000, 2 ** 20),
    far: fc.constantFrom(0, 0, 0.003, 0.3),
    seed: fc.nat(),
  })
  .map(({ first, apart, jitter, far, seed }) => {
    let state = seed;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const sign = first > 2 ** 51 ? -1 : 1;
    return Float64Array.from({ length: count }, (_, row) => {
      if (random() < far) return Math.floor(random() * max);
      const near = first + sign * (row * apart + Math.floor(jitter * random()));
      return near >= 0 && near <= max ? near : row;
    });
  });

test("any rows of a column are those that it was made of, in whatever order they are read", () => {
  const stretches = fc.array(fc.tuple(fc.nat(count), fc.nat(count)), {
    minLength: 1,
    maxLength: 6,
  });
  const property = fc.property(columns, stretches, (column, asked) => {
    const block = encodeIntegers(column);
    const whole = new Float64Array(count);
    decodeIntegers(block, whole);
    assert.deepEqual(whole, column);
    const rows = new IntegerRows(block, count);
    for (const ends of asked) {
      const [start, end] = ends.toSorted((left, right) => left - right);
      const output = new Float64Array(end - start);
      rows.read(start, end, output);
      assert.deepEqual(output, column.subarray(start, end));
    }
  });
  fc.assert(property, { numRuns: 1_500 });
});

test("a column that ends too early is CorruptData where its rows are read", () => {
  const column = Float64Array.from({ length: 100 }, (_, row) => (row * row) % 37);
  const block = encodeIntegers(column);
  const rows = new IntegerRows(block.subarray(0, 60), 100);
  rows.read(10, 50, new Float64Array(40));
  assert.throws(() => rows.read(10, 70, new Float64Array(60)), CorruptData);
  assert.throws(() => rows.read(0, 100, new Float64Array(100)), CorruptData);
  const longer = new IntegerRows(Uint8Array.of(...block, 0), 100);
  assert.throws(() => longer.read(0, 100, new Float64Array(100)), CorruptData);
  assert.throws(() => new IntegerRows(Uint8Array.of(7, 0), 1), CorruptData);
});
