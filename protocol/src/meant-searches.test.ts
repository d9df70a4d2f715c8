import assert from "node:assert/strict";
import { test } from "node:test";
import { meantSearches } from "./meant-searches.ts";

const names = Array.from({ length: 20 }, (_, at) => at).flatMap((at) => [
  `layer${at}/attn/grad`,
  `layer${at}/mlp/weight`,
]);

test("a regular expression without slashes is meant, if it finds a name", () => {
  assert.deepEqual(meantSearches("layer1[0-5]/attn/grad", names), ["/layer1[0-5]/attn/grad/"]);
  assert.deepEqual(meantSearches("layer1.*grad", names), ["/layer1.*grad/"]);
  assert.deepEqual(meantSearches("attn|mlp", names), ["/attn|mlp/"]);
  assert.deepEqual(meantSearches("layer[", names), []);
  assert.deepEqual(meantSearches("quantum|foam", names), []);
});

test("of several words the misspelt ones are replaced", () => {
  assert.deepEqual(meantSearches("lyer3 grad", names), ["layer3 grad"]);
  assert.deepEqual(meantSearches("garde lyer12", names), ["grad layer12"]);
  assert.deepEqual(meantSearches("quantum grad", names), []);
});

test("one word means names", () => {
  assert.deepEqual(meantSearches("layer3/atn/grad", names)[0], "layer3/attn/grad");
});
