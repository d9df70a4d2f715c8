import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf, layoutText } from "./layout.ts";

test("equal layouts have equal texts", () => {
  const layout = { hidden: ["b"], pinned: ["a"], order: [], columns: undefined };
  assert.equal(layoutText(layout), '{"pinned":["a"],"hidden":["b"]}');
  assert.equal(layoutText({}), "{}");
});

test("an address that was typed is read, or left", () => {
  const charts = [{ key: "a", lines: ["a", "b"] }];
  assert.deepEqual(layoutOf(JSON.stringify({ charts })), { charts });
  for (const text of ["", "{", "null", "[1", '{"pinned":[1]}', '{"charts":[{}]}', '{"order":3}'])
    assert.equal(layoutOf(text), undefined, text);
  assert.equal(layoutOf('{"sections":[{"name":"a","patterns":[3]}]}'), undefined);
});
