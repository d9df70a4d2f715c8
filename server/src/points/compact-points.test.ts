import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BlockReader } from "./blocks.ts";
import { encodeChunk, pointsPerChunk, readChunkData } from "./chunk.ts";
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
/** Doubles, floats, decimals, regular numbers, and constants. */
const values = fc.oneof(
  fc.array(value, { minLength: length, maxLength: length }),
  fc.array(value.map(Math.fround).filter(Number.isFinite), {
    minLength: length,
    maxLength: length,
  }),
  fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: length, maxLength: length }),
  fc
    .array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: length, maxLength: length })
    .map((integers) => integers.map((each) => each / 1_000)),
  fc.constant(regular(3, 2)),
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
      const points = opened({ step, timestamp, value });
      const requireSlices = () => {
        for (const room of [undefined, roomOf(length), roomOf(length / 2)]) {
          const part = points.slice(start, end, room);
          assert.deepEqual(
            [part.step, part.timestamp, part.value],
            columns.map((column) => column.slice(start, end)),
          );
        }
      };
      requireSlices();
      const room = curveRoom();
      assert.deepEqual(points.curve("step", room), { x: step, value });
      assert.deepEqual(points.curve("timestamp", room), { x: timestamp, value });
      // They may be kept in another way by now.
      requireSlices();
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test("what is not kept as it is stored takes no memory where regular, and of floats half", () => {
  const bytesOf = (number: (at: number) => number) => {
    const column = Float64Array.from(regular(5, 3));
    const values = Float64Array.from({ length }, (_, at) => number(at));
    return opened({ step: column, timestamp: column, value: values }).bytes;
  };
  const none = bytesOf((at) => 2 * at);
  assert.equal(bytesOf(Math.sin), none, "planes");
  assert.equal(
    bytesOf((at) => (at * at) % 7),
    none + 4 * length,
  );
  assert.equal(
    bytesOf((at) => ((at * at) % 7) / 10),
    none + 8 * length,
  );
});

test("floats that were wanted all are kept decoded", () => {
  const column = Float64Array.from(regular(5, 3));
  const kept = (number: (at: number) => number) => {
    const value = Float64Array.from({ length }, (_, at) => number(at));
    const points = opened({ step: column, timestamp: column, value });
    const before = points.bytes;
    for (let turn = 0; turn < 2; turn++)
      assert.deepEqual(points.curve("step", curveRoom()).value, value);
    return points.bytes - before;
  };
  assert.equal(
    kept((at) => Math.fround(Math.sin(at))),
    4 * length,
  );
  assert.equal(kept(Math.sin), 0, "doubles");
  assert.equal(
    kept((at) => (at * at) % 7),
    0,
    "decimals",
  );
});

/** The points as a chunk has them; memory for its values is used for others later. */
function opened(columns: { step: Float64Array; timestamp: Float64Array; value: Float64Array }) {
  const { count, data } = readChunkData(encodeChunk(columns));
  const room = new Float64Array(pointsPerChunk);
  const points = new CompactPoints(count, new BlockReader(data), room);
  room.fill(NaN);
  return points;
}

/** The room with other points in it. */
function roomOf(count: number) {
  const column = () => new Float64Array(count).fill(NaN);
  return { step: column(), timestamp: column(), value: column() };
}

function curveRoom() {
  const { step, value } = roomOf(length + 3);
  return { x: step, value };
}

function regular(first: number, apart: number): number[] {
  return Array.from({ length }, (_, at) => first + at * apart);
}
