import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Smoothing } from "@lossless/protocol";
import { smootherOf } from "./smoothing.ts";

const smoothing = fc.oneof(
  fc
    .double({ min: 0, max: 0.99, noNaN: true })
    .map((weight): Smoothing => ({ kind: "ema", weight })),
  fc
    .double({ min: 0.1, max: 12, noNaN: true })
    .map((points): Smoothing => ({ kind: "gauss", points })),
);
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

test("a constant stays as it is, to the last bit", () => {
  const property = fc.property(smoothing, anyValue, (wanted, constant) => {
    const given = Array.from({ length: 60 }, () => constant + 0);
    assert.deepEqual(smooth(wanted, given, []), given);
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

function smooth(wanted: Smoothing, given: number[], cuts: number[]): number[] {
  const smoother = smootherOf(wanted);
  const found: number[] = [];
  const edges = [0, ...cuts, given.length].map((cut) => Math.min(cut, given.length));
  edges.sort((left, right) => left - right);
  for (let at = 1; at < edges.length; at++) {
    const block = Float64Array.from(given.slice(edges[at - 1], edges[at]));
    found.push(...smoother.next({ x: block, value: block }).value);
  }
  return [...found, ...smoother.end().value];
}

/** The weighted mean itself, in a scale in which no sum is beyond doubles. */
function plain(wanted: Smoothing, given: number[], row: number): number {
  const weightOf = (at: number): number => {
    if (wanted.kind === "ema") return at > row ? 0 : wanted.weight ** (row - at);
    const away = Math.abs(at - row);
    return away > 3 * wanted.points ? 0 : Math.exp(-((away / wanted.points) ** 2) / 2);
  };
  const weights = given.map((_, at) => weightOf(at));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return given.reduce((sum, value, at) => sum + value * (weights[at] / total), 0);
}
