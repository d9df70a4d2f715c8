import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { parseQuery } from "@lossless/protocol/query-language";
import { cellTests } from "./cell-tests.ts";
import { columnOf } from "./columns.ts";

suite("tests that fit a cell", () => {
  const of = (field: string, value: Parameters<typeof cellTests>[1]) => {
    const tests = cellTests(columnOf(field)!, value);
    for (const one of tests) parseQuery(one);
    return tests;
  };

  test("they are of the kind of the value, and the language reads them", () => {
    assert.deepEqual(of("meta.lr", 1e-7), ["meta.lr = 1e-7", "meta.lr <= 1e-7", "meta.lr >= 1e-7"]);
    assert.deepEqual(of("meta.seed", "3"), ['meta.seed = "3"', 'meta.seed != "3"']);
    assert.deepEqual(of("meta.on", true), ["meta.on = true", "meta.on != true"]);
    assert.deepEqual(of("status", "done"), ["status = done", "status != done"]);
    assert.deepEqual(of("folder", "a b/c"), ['folder = "a b/c"', 'folder != "a b/c"']);
    assert.deepEqual(of("tag", '["a","b c"]'), ["tag = a", 'tag = "b c"']);
    assert.deepEqual(of("metric.loss", "NaN"), ["metric.loss = NaN"]);
    assert.deepEqual(of("metric.loss", "-Infinity"), ["metric.loss = -inf"]);
  });

  test("without a value they ask whether there is one, and of a time there is none", () => {
    assert.deepEqual(of("metric.loss.min", null), ["metric.loss.min", "not metric.loss.min"]);
    assert.deepEqual(of("error", null), []);
    assert.deepEqual(of("created", 1_700_000_000_000), []);
  });
});
