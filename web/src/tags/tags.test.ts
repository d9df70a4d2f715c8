import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { countedTags, tagsAfter, tagsIn } from "./tags.ts";

suite("tags of experiments", () => {
  test("they are a list of texts, or one text", () => {
    assert.deepEqual(tagsIn(["a", "b", "a", 3, ""]), ["a", "b"]);
    assert.deepEqual(tagsIn("a"), ["a"]);
    assert.deepEqual(tagsIn(undefined), []);
    assert.deepEqual(tagsIn({ a: 1 }), []);
  });

  test("a change keeps everything else, and what changes nothing is the value itself", () => {
    const change = { add: ["new"], remove: ["old"] };
    assert.deepEqual(tagsAfter(["old", 3, "kept"], change), [3, "kept", "new"]);
    assert.deepEqual(tagsAfter("kept", change), ["kept", "new"]);
    assert.deepEqual(tagsAfter(undefined, change), ["new"]);
    assert.equal(tagsAfter("old", { add: [], remove: ["old"] }), undefined);
    const same = ["new"];
    assert.equal(tagsAfter(same, change), same);
    assert.throws(() => tagsAfter({ old: true }, change), /neither a text nor a list/);
  });

  test("tags of several experiments are counted, the most common first", () => {
    assert.deepEqual(countedTags([["b", "a"], "b", undefined, ["c"]]), [
      { tag: "b", experiments: 2 },
      { tag: "a", experiments: 1 },
      { tag: "c", experiments: 1 },
    ]);
  });
});
