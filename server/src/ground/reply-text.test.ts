import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplyText } from "./reply-text.ts";

test("a large text is written whole, and others run in between", async () => {
  const text = new ReplyText();
  let turns = 0;
  const other = setImmediate(function again(): void {
    turns++;
    next = setImmediate(again);
  });
  let next = other;
  const words = Array.from({ length: 5_000 }, (_, at) => `é${at}`.padEnd(100));
  for (const word of words) await text.add(word);
  clearImmediate(next);
  assert.ok(turns >= 2, `${turns} turns`);
  assert.equal(text.end().toString(), words.join(""));
  assert.equal(new ReplyText().end().length, 0);
});
