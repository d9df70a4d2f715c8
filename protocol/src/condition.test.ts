import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCondition } from "./condition.ts";
import { QueryError } from "./query-error.ts";
import { parseQuery } from "./query-language.ts";

test("names that are no fields are metrics, wherever the value stands", () => {
  const meant: [string, string][] = [
    ["val/loss < 3.3", "metric.val/loss < 3.3"],
    ["3.3 > val/loss", "3.3 > metric.val/loss"],
    ["3.3>val/loss.min", "3.3 > metric.val/loss.min"],
    ["0.1 < lr < 0.5", "0.1 < metric.lr < 0.5"],
    ["0.1 < metric.lr < 0.5", "0.1 < metric.lr < 0.5"],
    ["3 < points", "3 < points"],
    ["-7d < created", "-7d < created"],
    [`"a text" = meta.note`, `"a text" = meta.note`],
    [`3.3 > "val loss".min`, `3.3 > metric."val loss".min`],
    ["3.3 > loss{subset=val}.min", "3.3 > metric.loss{subset=val}.min"],
    [`"val loss"{subset=val} > 2`, `metric."val loss"{subset=val} > 2`],
    ["val/loss in [1, 2]", "metric.val/loss in [1, 2]"],
    ["val/loss in (1, 2)", "metric.val/loss in (1, 2)"],
    [
      "not 2 < loss (3 < points or acc > 0.9)",
      "not 2 < metric.loss (3 < points or metric.acc > 0.9)",
    ],
    // A name may look like a value where nothing else can be the name.
    ["1e3 < 5", "metric.1e3 < 5"],
    ["loss < 3 acc > 0.9", "metric.loss < 3 metric.acc > 0.9"],
  ];
  for (const [until, query] of meant)
    assert.deepEqual(parseCondition(until), parseQuery(query), until);
});

test("a test that is none is refused where it stands", () => {
  for (const [until, position] of [
    ["3.3 >", 5],
    ["loss < 3 < acc", 9],
    ["loss < 3.3 > acc <", 11],
  ] as const) {
    assert.throws(
      () => parseCondition(until),
      (error) => error instanceof QueryError && error.position === position,
      until,
    );
  }
});
