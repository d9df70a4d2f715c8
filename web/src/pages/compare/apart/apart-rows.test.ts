import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComparedKey, DifferenceReply } from "@lossless/protocol";
import { apartRows, apartText, cautionText, valueShares } from "./apart-rows.ts";

const apart: NonNullable<DifferenceReply["apart"]> = {
  named: 4,
  others: 10,
  othersFound: 10,
  keysFound: 3,
  keysCounted: 3,
  keys: [
    { field: "meta.lr", test: "meta.lr <= 0.1", named: 4, others: 1, distance: 0.9 },
    { field: "meta.warmup", test: "meta.warmup", named: 1, others: 0, distance: 0.25 },
    { field: "meta.same", test: "meta.same = 1", named: 4, others: 10, distance: 0 },
  ],
};

test("a row says of its key what parts the sides, and a key that parts nothing has none", () => {
  const rows = apartRows(apart);
  assert.deepEqual(
    rows.map(({ title, test: said, filter, a, b, hundredths }) => {
      return [title, said, filter, a.count, a.of, b.count, b.of, hundredths];
    }),
    [
      ["lr", "<= 0.1", "meta.lr <= 0.1", 4, 4, 1, 10, 90],
      ["warmup", "there is one", "meta.warmup", 1, 4, 0, 10, 25],
    ],
  );
  assert.equal(apartText(apart, rows, 0), "2 of 3 keys tell A from B");
});

test("what was not looked at is said, and that few experiments are parted by chance", () => {
  const part = { ...apart, keysFound: 9, othersFound: 20 };
  assert.equal(
    apartText(part, [], 3),
    "0 of 9 keys tell A from B, only the 3 keys that most experiments have were counted, " +
      "only the newest 10 of 20 other experiments were counted, the meta of 3 experiments is still being processed",
  );
  assert.match(
    cautionText(apart),
    /need not be the reason.* With only 4 experiments on one side, some of 3 keys may/,
  );
  assert.doesNotMatch(cautionText({ ...apart, named: 10 }), /chance/);
});

test("each value has how many of either side have it, and so has none", () => {
  const key: ComparedKey = {
    field: "meta.opt",
    values: [
      { kind: "text", text: "adamw", isCut: false },
      { kind: "text", text: "–", isCut: false },
      { kind: "text", text: "x".repeat(9), isCut: true },
    ],
    valueOf: [0, 0, null, 1, 2, 0],
  };
  const sides = { a: new Set(["a", "c"]), b: new Set(["b", "d", "e"]) };
  assert.deepEqual(
    valueShares(key, ["a", "b", "c", "d", "e", "f"], sides).map(({ text, filter, a, b }) => [
      text,
      filter,
      a,
      b,
    ]),
    [
      ["adamw", "meta.opt = adamw", 1, 1],
      ['"–"', 'meta.opt = "–"', 0, 1],
      ["xxxxxxxxx…", undefined, 0, 1],
      ["–", "not meta.opt", 1, 0],
    ],
  );
});
