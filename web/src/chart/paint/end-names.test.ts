import assert from "node:assert/strict";
import { test } from "node:test";
import { nameHeight, namedEnds } from "./end-names.ts";

const endsOf = (...tops: number[]) => tops.map((top, line) => ({ line, top }));

test("names stand at the ends of lines where there is room, the raised one's always", () => {
  const ends = endsOf(10, 15, 40, -3, 101, NaN, 70);
  const placesOf = (raised?: number) =>
    namedEnds(ends, 100, raised).map(({ line, top }) => [line, Math.round(top * 10) / 10]);
  assert.deepEqual(placesOf(), [
    [0, 5.5],
    [1, 19.5],
    [2, 40],
    [6, 70],
  ]);
  assert.deepEqual(placesOf(1).slice(0, 2), [
    [0, 1],
    [1, 15],
  ]);
});

test("up to eight ends of one value are all named, in the order of the values", () => {
  const near = endsOf(...[3, 1, 2, 0, 7, 5, 4, 6].map((at) => 60 + at / 10));
  for (const lower of [-60, 0, 110]) {
    const placed = namedEnds(
      near.map(({ line, top }) => ({ line, top: top + lower })),
      180,
      undefined,
    );
    assert.deepEqual(
      placed.map(({ line }) => line),
      [3, 1, 2, 0, 6, 5, 7, 4],
    );
    for (const [at, { top }] of placed.entries())
      assert.ok(at === 0 || top - placed[at - 1].top >= nameHeight - 1e-9);
  }
});

test("in a crowd the first lines are named, within the plot and with none too far away", () => {
  for (const top of [0, 50, 300]) {
    const crowd = endsOf(...Array<number>(100).fill(top));
    const placed = namedEnds(crowd, 300, 40);
    assert.ok(placed.length >= 4 && placed.length <= 9, `${placed.length}`);
    assert.ok(placed.some(({ line }) => line === 40));
    for (const each of placed) {
      assert.ok(each.top >= 0 && each.top <= 300);
      assert.ok(Math.abs(each.top - each.end) <= 3 * nameHeight);
    }
  }
  assert.equal(namedEnds(endsOf(...Array<number>(100).fill(20)), 40, undefined).length, 3);
});
