import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hopeless, TextPattern } from "./text-pattern.ts";

const units = fc.constantFrom("a", "A", "b", "/", "é", "É", "\u212a", "\ud83d");
const texts = fc.array(units, { maxLength: 12 }).map((drawn) => drawn.join(""));
const patterns = fc
  .array(fc.oneof(units, fc.constant("*")), { maxLength: 8 })
  .map((drawn) => drawn.join(""));

test("a path fits what the queries' SQL says, however it is cut into pieces", () => {
  fc.assert(
    fc.property(patterns, fc.array(texts, { maxLength: 4 }), (text, pieces) => {
      const pattern = TextPattern.like(text);
      const state = pieces.reduce((before, piece) => pattern.after(before, piece), 0);
      assert.equal(pattern.fits(state), expressionOf(text).test(lower(pieces.join(""))));
    }),
    { numRuns: 2_000 },
  );
});

test("without a pattern it is the one path, letter by letter", () => {
  fc.assert(
    fc.property(texts, texts, (text, path) => {
      const pattern = TextPattern.exactly(text);
      const state = pattern.after(0, path);
      assert.equal(pattern.fits(state), path === text);
      assert.equal(state === hopeless, !text.startsWith(path));
    }),
    { numRuns: 2_000 },
  );
});

test("however a pattern is, a text takes steps in proportion to its length", (context) => {
  const text = "a".repeat(4_000);
  const run = "a".repeat(250);
  const own = context.mock.method(String.prototype, "charCodeAt");
  for (const pattern of [`${run}b`, `b${run}`, `aaaab${run}`, `${run}*${run}b`, `*a*b${run}*b`]) {
    own.mock.resetCalls();
    assert.equal(TextPattern.like(pattern).holds(text), false, pattern);
    const steps = own.mock.callCount();
    assert.ok(steps <= 4 * text.length, `${pattern} takes ${steps} steps`);
  }
});

function expressionOf(pattern: string): RegExp {
  const parts = lower(pattern)
    .split("*")
    .map((part) => part.replaceAll("/", "\\/"));
  return new RegExp(parts.length > 1 ? `^${parts.join(".*")}$` : parts[0], "s");
}

function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
