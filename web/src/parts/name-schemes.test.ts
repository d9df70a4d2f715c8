import assert from "node:assert/strict";
import { test } from "node:test";
import { schemesOf } from "./name-schemes.ts";

/** The words of the first scheme that are left out, in their order, and those that all have. */
function firstOf(names: readonly string[]) {
  const [{ words, order, untelling, shared }] = schemesOf(names);
  const [first] = words.values();
  return {
    order: order.map((at) => first[at]),
    untelling,
    shared: [...shared].map((at) => first[at]),
  };
}

test("words that all have go first, and then those with the fewest values", () => {
  const names = ["a", "b", "c", "d"].map((seed, at) => `run-${["x", "y"][at % 2]}-w1-${seed}`);
  assert.deepEqual(firstOf(names), {
    order: ["run-", "w1-", "x-"],
    untelling: 3,
    shared: ["run-", "w1-"],
  });
});

test("a word without which names are the same goes last", () => {
  const names = ["x-1", "x-2", "y-1", "y-2"].map((name) => `${name}-z`);
  assert.deepEqual(firstOf(names), { order: ["z", "1-"], untelling: 1, shared: ["z"] });
});

test("names of other schemes have words of their own", () => {
  const names = ["run-a1-x", "run-b2-x", "my best run", "run-c3-x"];
  const schemes = schemesOf(names);
  assert.deepEqual(
    schemes.map(({ words }) => [...words.keys()]),
    [["run-a1-x", "run-b2-x", "run-c3-x"], ["my best run"]],
  );
});

test("words keep every character of a name", () => {
  for (const { words } of schemesOf(["/a//b", "", "é/日本 x", "-", "a=b=c", "1e-3-0.5.x"]))
    for (const [name, list] of words) assert.equal(list.join(""), name);
});
