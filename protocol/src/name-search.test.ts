import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { nameTest } from "./name-search.ts";

const names = ["layer12/attn/grad", "layer12/mlp/grad", "layer2/attn/norm", "val/loss", "a*b"];
const found = (search: string) => names.filter(nameTest(search));

suite("a search for names", () => {
  test("words stand anywhere and in any order, whatever their case", () => {
    assert.deepEqual(found(""), names);
    assert.deepEqual(found("LOSS"), ["val/loss"]);
    assert.deepEqual(found("grad layer12"), ["layer12/attn/grad", "layer12/mlp/grad"]);
    assert.deepEqual(found("  grad  nothing "), []);
  });

  test("a word with * is a whole name, and a part of it beside others", () => {
    assert.deepEqual(found("layer*grad"), ["layer12/attn/grad", "layer12/mlp/grad"]);
    assert.deepEqual(found("val*l"), []);
    assert.deepEqual(found("l*2 attn"), ["layer12/attn/grad", "layer2/attn/norm"]);
    assert.deepEqual(found("a.*b"), []);
  });

  test("between slashes there is a regular expression", () => {
    assert.deepEqual(found("/layer1[0-5]/attn/grad/"), ["layer12/attn/grad"]);
    assert.deepEqual(found("/^val|norm$/"), ["layer2/attn/norm", "val/loss"]);
    assert.deepEqual(found("/attn"), ["layer12/attn/grad", "layer2/attn/norm"]);
    assert.throws(() => nameTest("/(a/"), /At character 4: expected a closing \)/);
  });
});
