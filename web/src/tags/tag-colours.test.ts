import assert from "node:assert/strict";
import { test } from "node:test";
import { tagColour } from "./tag-colours.ts";

const usual =
  "sweep baseline good-one live debug best production test draft paper final ablation broken keep v1 v2 small large gpu failed todo important candidate reference".split(
    " ",
  );

function apart(one: string, other: string): number {
  const [left, right] = [one, other].map((tag) => tagColour(tag).lab);
  return Math.hypot(...left.map((value, at) => value - right[at]));
}

test("tags that people use have different colours, but for few of them", () => {
  const pairs = usual.flatMap((one, at) => usual.slice(0, at).map((other) => [one, other]));
  const alike = pairs.filter(([one, other]) => apart(one, other) < 0.05);
  assert.ok(alike.length <= 1, JSON.stringify(alike));
  assert.ok(apart("sweep", "baseline") > 0.2);
});

test("names that differ in a letter have all colours, about as many each", () => {
  const counts = new Map<string, number>();
  for (let at = 0; at < 5_400; at++) {
    const { css } = tagColour(`tag-${at}`);
    counts.set(css, (counts.get(css) ?? 0) + 1);
  }
  assert.equal(counts.size, 54);
  for (const count of counts.values()) assert.ok(count > 50 && count < 200, String(count));
});

test("a tag has one colour, whatever came before", () => {
  const before = usual.map((tag) => tagColour(tag).css);
  assert.deepEqual(
    usual.toReversed().map((tag) => tagColour(tag).css),
    before.toReversed(),
  );
});
