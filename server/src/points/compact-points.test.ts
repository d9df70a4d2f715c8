import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CompactPoints } from "./compact-points.ts";

const place = fc.integer({ min: 0, max: 2 ** 53 - 1 });
const length = 50;

/** Regular, close together, close together but for one, and anywhere. */
const places = fc.oneof(
  fc.tuple(fc.nat(2 ** 40), fc.nat(1_000)).map(([first, apart]) => regular(first, apart)),
  fc
    .tuple(place, fc.array(fc.nat(2 ** 32), { minLength: length, maxLength: length }))
    .map(([first, offsets]) => offsets.map((offset) => Math.max(0, first - offset))),
  fc
    .tuple(fc.nat(2 ** 40), fc.nat(length - 1), place)
    .map(([first, at, other]) => regular(first, 1).with(at, other)),
  fc.array(place, { minLength: length, maxLength: length }),
);
const value = fc.double({ noNaN: true, noDefaultInfinity: true });
const values = fc.oneof(
  fc.array(value, { minLength: length, maxLength: length }),
  fc.array(value.map(Math.fround).filter(Number.isFinite), {
    minLength: length,
    maxLength: length,
  }),
  fc.constantFrom(0, -0, 0.1).map((each) => Array.from({ length }, () => each)),
);

test("points come back as they were, whole and in part", () => {
  const property = fc.property(
    places,
    places,
    values,
    fc.tuple(fc.nat(length), fc.nat(length)),
    (steps, timestamps, numbers, ends) => {
      const [start, end] = ends.toSorted((left, right) => left - right);
      const columns = [steps, timestamps, numbers].map((column) => Float64Array.from(column));
      const [step, timestamp, value] = columns;
      // Timestamps of few bytes are opened at once, others when they are asked for.
      const opened = { step, timestamp: () => timestamp, timestampBytes: start, value };
      const points = new CompactPoints(opened);
      for (const room of [undefined, roomOf(length), roomOf(length / 2)]) {
        const part = points.slice(start, end, room);
        assert.deepEqual(
          [part.step, part.timestamp, part.value],
          columns.map((column) => column.slice(start, end)),
        );
      }
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test("what is regular takes no memory, and floats half of that of doubles", () => {
  const bytesOf = (value: Float64Array) => {
    const step = Float64Array.from(regular(5, 3));
    const opened = { step, timestamp: () => step, timestampBytes: 3, value };
    return new CompactPoints(opened).bytes;
  };
  const none = bytesOf(new Float64Array(length));
  assert.equal(
    bytesOf(Float64Array.from({ length }, (_, at) => Math.fround(Math.sin(at)))),
    none + 4 * length,
  );
  assert.equal(bytesOf(Float64Array.from({ length }, (_, at) => Math.sin(at))), none + 8 * length);
});

/** The room with other points in it. */
function roomOf(count: number) {
  const column = () => new Float64Array(count).fill(NaN);
  return { step: column(), timestamp: column(), value: column() };
}

function regular(first: number, apart: number): number[] {
  return Array.from({ length }, (_, at) => first + at * apart);
}
