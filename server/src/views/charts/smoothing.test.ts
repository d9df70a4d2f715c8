import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { smootherOf, type PlacedSmoothing } from "./smoothing.ts";

const smoothing = fc.oneof(
  fc
    .double({ min: 0, max: 0.99, noNaN: true })
    .map((weight): PlacedSmoothing => ({ kind: "ema", weight })),
  fc
    .double({ min: 0.1, max: 12, noNaN: true })
    .map((points): PlacedSmoothing => ({ kind: "gauss", points })),
);
/** By x, with places: dense and sparse stretches, several points at one place, and great gaps. */
const byX = fc.record({
  weight: fc.double({ min: 0, max: 0.999, noNaN: true }),
  unit: fc.double({ min: 0.01, max: 50, noNaN: true }),
  isLog: fc.boolean(),
});
const gap = fc.oneof(fc.constantFrom(0, 0, 1, 1), fc.double({ min: 0, max: 400, noNaN: true }));
const places = fc
  .tuple(fc.double({ min: -200, max: 200, noNaN: true }), fc.array(gap, { maxLength: 90 }))
  .map(([first, gaps]) => {
    let x = first;
    return gaps.map((each) => (x += each));
  });
const anyValue = fc.double({ noNaN: true, noDefaultInfinity: true });
const ordinary = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
const values = fc.oneof(
  fc.array(ordinary, { maxLength: 90 }),
  fc.array(anyValue, { maxLength: 9 }),
);

test("each point is the mean that its formula says, however blocks are cut", () => {
  const property = fc.property(
    smoothing,
    values,
    fc.array(fc.nat(90), { maxLength: 4 }),
    (wanted, given, cuts) => {
      const found = smooth(wanted, given, cuts);
      const size = given.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      for (const [at, value] of given.map((_, row) => plain(wanted, given, row)).entries()) {
        const difference = Math.abs(found[at] / 2 - value / 2);
        // Below the least normal double nothing has more digits than this.
        assert.ok(difference <= size * 1e-12 + 1e-320, `${at}: ${found[at]} ${value}`);
      }
      assert.equal(found.length, given.length);
    },
  );
  fc.assert(property, { numRuns: 3_000 });
});

test("by x each point is the mean of all up to it, weighted by distance", () => {
  const property = fc.property(
    byX,
    places,
    values,
    fc.array(fc.nat(90), { maxLength: 4 }),
    (by, all, given, cuts) => {
      const length = Math.min(all.length, given.length);
      const [x, value] = [all.slice(0, length), given.slice(0, length)];
      const found = smooth({ kind: "x", ...by }, value, cuts, x);
      const size = value.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
      for (let row = 0; row < length; row++) {
        if (by.isLog && x[row] <= 0) continue;
        const expected = plainByX(by, x, value, row);
        assert.ok(Math.abs(found[row] / 2 - expected / 2) <= size * 1e-11 + 1e-320, `${row}`);
      }
      assert.equal(found.length, length);
    },
  );
  fc.assert(property, { numRuns: 3_000 });
});

test("by x evenly spaced points are smoothed as by points", () => {
  const given = Array.from({ length: 200 }, (_, at) => Math.sin(at) * at);
  const x = given.map((_, at) => 7 + 2.5 * at);
  const by = smooth({ kind: "x", weight: 0.9, unit: 2.5, isLog: false }, given, [], x);
  for (const [at, value] of smooth({ kind: "ema", weight: 0.9 }, given, []).entries())
    assert.ok(Math.abs(by[at] - value) <= 1e-12, `${at}: ${by[at]} ${value}`);
});

test("by x points before the place that it asks for change nothing, however many they are", () => {
  for (const isLog of [false, true]) {
    const smoothing = { kind: "x", weight: 0.9, unit: 0.01, isLog } as const;
    const start = smootherOf(smoothing).from!(100);
    assert.ok(start < 100 && (!isLog || start > 0));
    // A dense stretch of large values just out of reach, then a sparse one of small ones.
    const far = Array.from({ length: 100_000 }, (_, at) => start * (1 - 1e-6) - at * 1e-9 * start);
    const near = Array.from({ length: 9 }, (_, at) => start + ((100 - start) * (at + 1)) / 9);
    const x = [...far.reverse(), ...near];
    const value = x.map((_, at) => (at < far.length ? 1e6 : Math.sin(at)));
    const all = smooth(smoothing, value, [], x);
    const without = smooth(smoothing, value.slice(far.length), [], near);
    assert.ok(Math.abs(all.at(-1)! - without.at(-1)!) <= 1e6 * 2 ** -60, String(isLog));
  }
});

test("by x a sparse line ends where its points do, as a dense one does", () => {
  // One falls to 1 over the whole axis, recorded 5,930 times and 120 times.
  const line = (points: number) => {
    const x = Array.from({ length: points }, (_, at) => (at / (points - 1)) * 5_930);
    const value = x.map((step) => 1 + 2 * Math.exp(-step / 300));
    return { x, value };
  };
  const last = (points: number, smoothing: PlacedSmoothing) => {
    const { x, value } = line(points);
    return smooth(smoothing, value, [], x).at(-1)!;
  };
  const by = { kind: "x", weight: 0.99, unit: 5.93, isLog: false } as const;
  assert.ok(Math.abs(last(120, by) - last(5_930, by)) < 0.001);
  assert.ok(last(120, by) < 1.001);
  assert.ok(last(120, { kind: "ema", weight: 0.99 }) > 1.05);
});

test("a constant stays as it is, to the last bit", () => {
  const placed = byX.map((by): PlacedSmoothing => ({ kind: "x", ...by }));
  const property = fc.property(fc.oneof(smoothing, placed), anyValue, (wanted, constant) => {
    const given = Array.from({ length: 60 }, () => constant + 0);
    const x = given.map((_, at) => at + 1);
    assert.deepEqual(smooth(wanted, given, [], x), given);
  });
  fc.assert(property, { numRuns: 500 });
});

test("points further away than it asks for change nothing", () => {
  const property = fc.property(smoothing, fc.nat(1_000), (wanted, seed) => {
    const { before } = smootherOf(wanted);
    const given = Array.from({ length: before + 40 }, (_, at) => Math.sin(at * seed));
    const all = smooth(wanted, given, []);
    const near = smooth(wanted, given.slice(-before - 1), []);
    assert.ok(Math.abs(near.at(-1)! - all.at(-1)!) <= 1e-15 * 8);
  });
  fc.assert(property, { numRuns: 200 });
});

test("the start is corrected as TensorBoard does it", () => {
  // smoothed = last / (1 - weight^n), last = last * weight + (1 - weight) * value.
  const found = smooth({ kind: "ema", weight: 0.5 }, [1, 2, 4], []);
  assert.deepEqual(found, [1, 1.25 / 0.75, 2.625 / 0.875]);
});

function smooth(
  wanted: PlacedSmoothing,
  given: number[],
  cuts: number[],
  places: number[] = given,
): number[] {
  const smoother = smootherOf(wanted);
  const found: number[] = [];
  const edges = [0, ...cuts, given.length].map((cut) => Math.min(cut, given.length));
  edges.sort((left, right) => left - right);
  for (let at = 1; at < edges.length; at++) {
    const part = (numbers: number[]) => Float64Array.from(numbers.slice(edges[at - 1], edges[at]));
    for (const value of smoother.next({ x: part(places), value: part(given) }).value)
      found.push(value);
  }
  return [...found, ...smoother.end().value];
}

/** The mean by its formula; of the distances, only those of places that the axis has. */
function plainByX(
  { weight, unit, isLog }: { weight: number; unit: number; isLog: boolean },
  x: number[],
  value: number[],
  row: number,
): number {
  const placeOf = (each: number) => (isLog ? Math.log(each) : each);
  const rows = x.slice(0, row + 1).flatMap((each, at) => (isLog && each <= 0 ? [] : at));
  const weights = rows.map((at) => weight ** ((placeOf(x[row]) - placeOf(x[at])) / unit));
  const total = weights.reduce((sum, each) => sum + each, 0);
  return rows.reduce((sum, at, index) => sum + value[at] * (weights[index] / total), 0);
}

/** The weighted mean itself, in a scale in which no sum is beyond doubles. */
function plain(wanted: PlacedSmoothing, given: number[], row: number): number {
  const weightOf = (at: number): number => {
    if (wanted.kind === "x") throw new Error("It has a formula of its own.");
    if (wanted.kind === "ema") return at > row ? 0 : wanted.weight ** (row - at);
    const away = Math.abs(at - row);
    return away > 3 * wanted.points ? 0 : Math.exp(-((away / wanted.points) ** 2) / 2);
  };
  const weights = given.map((_, at) => weightOf(at));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return given.reduce((sum, value, at) => sum + value * (weights[at] / total), 0);
}
