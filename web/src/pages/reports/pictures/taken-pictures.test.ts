import assert from "node:assert/strict";
import { test } from "node:test";
import { placeholderOf, withoutPlaceholders, withPicture, wordsOfFile } from "./taken-pictures.ts";

test("a picture's words are its file's name, and what is pasted has none", () => {
  assert.equal(wordsOfFile("loss curve.final.png"), "loss curve.final");
  assert.equal(wordsOfFile("image.png"), "picture");
  assert.equal(wordsOfFile("a[1]_b\\c.webp"), "a(1)_b/c");
  assert.equal(wordsOfFile(""), "picture");
  assert.equal(wordsOfFile("`cost` in $<b>.png"), "cost in b>");
  assert.equal(wordsOfFile("$.png"), "picture");
});

test("a place is kept for a picture that is sent, and given back if it is refused", () => {
  const place = placeholderOf("fig", 3);
  const text = `before ${place} behind`;
  const sent = withPicture(text, place, "fig", "0".repeat(32));
  assert.equal(sent, `before ![fig](picture:${"0".repeat(32)}) behind`);
  assert.equal(withPicture(text, place, "fig", undefined), "before  behind");
  assert.equal(withPicture("removed since", place, "fig", "1".repeat(32)), "removed since");
  assert.equal(withoutPlaceholders(`${text} ${place}![fig](a)`), "before  behind ![fig](a)");
});
