import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedCache } from "./bounded-cache.ts";

test("what was not used for longest makes room", () => {
  const cache = new BoundedCache<string>(10);
  cache.set("a", "A", 4);
  cache.set("b", "B", 4);
  assert.equal(cache.get("a"), "A");
  cache.set("c", "C", 4);
  assert.deepEqual(
    ["a", "b", "c"].map((key) => cache.get(key)),
    ["A", undefined, "C"],
  );
  cache.set("a", "larger", 6);
  assert.deepEqual(
    ["a", "c"].map((key) => cache.get(key)),
    ["larger", "C"],
  );
  cache.set("too large", "D", 11);
  assert.deepEqual(
    ["a", "c", "too large"].map((key) => cache.get(key)),
    ["larger", "C", undefined],
  );
});

test("an entry of several keys is found by each, and goes as a whole", () => {
  const cache = new BoundedCache<string>(10);
  cache.setAll(["a", "b"], "AB", 4);
  cache.set("c", "C", 4);
  assert.equal(cache.get("b"), "AB");
  cache.set("d", "D", 4);
  const found = (keys: string[]) => keys.map((key) => [cache.has(key), cache.get(key)]);
  assert.deepEqual(found(["a", "b", "c"]), [
    [true, "AB"],
    [true, "AB"],
    [false, undefined],
  ]);
  cache.setAll(["b", "e"], "BE", 1);
  assert.deepEqual(
    ["a", "b", "d", "e"].map((key) => cache.get(key)),
    [undefined, "BE", "D", "BE"],
  );
  cache.set("f", "F", 5);
  assert.deepEqual(
    ["b", "d", "f"].map((key) => cache.get(key)),
    ["BE", "D", "F"],
  );
});

test("an entry that has grown makes room, and no longer counts once it is gone", () => {
  const cache = new BoundedCache<string>(10);
  cache.set("a", "A", 4);
  cache.setAll(["b", "c"], "B", 4);
  cache.grow("c", 3);
  assert.deepEqual(
    ["a", "b", "c"].map((key) => cache.get(key)),
    [undefined, "B", "B"],
  );
  cache.grow("a", 100);
  cache.set("d", "D", 3);
  assert.equal(cache.get("b"), "B");
  cache.grow("b", 4);
  assert.deepEqual(
    ["b", "c", "d"].map((key) => cache.get(key)),
    [undefined, undefined, "D"],
  );
});
