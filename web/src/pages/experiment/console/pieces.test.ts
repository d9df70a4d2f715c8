import assert from "node:assert/strict";
import { test } from "node:test";
import { hitsIn, piecesOf } from "./pieces.ts";

test("a line is cut where a colour or a hit begins or ends, and is whole together", () => {
  const text = "error: loss is NaN";
  const spans = [
    { start: 0, end: 6, style: "1;31" },
    { start: 3, end: 11, style: "33" },
  ];
  assert.deepEqual(
    piecesOf({ text, spans }, hitsIn(text, /loss/g)).map((piece) => Object.values(piece)),
    [
      ["err", "1;31", false],
      ["or:", "33", false],
      [" ", "33", false],
      ["loss", "33", true],
      [" is NaN", "", false],
    ],
  );
});

test("only the drawn part of a long line is cut", () => {
  const text = "x".repeat(100);
  const pieces = piecesOf({ text, spans: [{ start: 90, end: 200, style: "1" }] }, [[5, 95]], 10);
  assert.deepEqual(
    pieces.map(({ text: part, isHit }) => [part.length, isHit]),
    [
      [5, false],
      [5, true],
    ],
  );
});

test("matches without a letter, and more than somebody can look at, are not marked", () => {
  assert.deepEqual(hitsIn("aab", /x*/g), []);
  assert.equal(hitsIn("a".repeat(16_384), /a/g).length, 200);
});
