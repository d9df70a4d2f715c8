import assert from "node:assert/strict";
import { test } from "node:test";
import { groupedWith, isGroupedBy } from "./grouped-key.ts";

test("a key is added to the grouping, and taken out of it", () => {
  assert.equal(groupedWith(undefined, "meta.lr"), "meta.lr");
  assert.equal(groupedWith("meta.lr", 'meta."a,b"'), 'meta.lr,meta."a%2Cb"');
  assert.equal(groupedWith('meta.lr,meta."a%2Cb"', "meta.lr"), 'meta."a%2Cb"');
  assert.equal(groupedWith("experiment.folder,rank", "meta.lr"), "experiment.folder,rank,meta.lr");
  assert.equal(groupedWith("meta.lr", "meta.lr"), "");
});

test("of a grouping by all but some keys it is the others that count", () => {
  assert.equal(isGroupedBy("-meta.seed", "meta.lr"), true);
  assert.equal(isGroupedBy("-meta.seed", "meta.seed"), false);
  assert.equal(groupedWith("-meta.seed", "meta.lr"), "-meta.seed,-meta.lr");
  assert.equal(groupedWith("-meta.seed,-meta.lr", "meta.lr"), "-meta.seed");
  assert.equal(isGroupedBy(undefined, "meta.lr"), false);
  assert.equal(isGroupedBy("(", "meta.lr"), false);
  assert.equal(isGroupedBy('meta."a%2Cb"', 'meta."a,b"'), true);
});
