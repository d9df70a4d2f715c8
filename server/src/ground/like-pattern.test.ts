import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { escapedForLike, LikePattern } from "./like-pattern.ts";

const units = fc.constantFrom("a", "b", "%", "_", "\\", "😀", "\n", "é");
const textOf = (maxLength: number) => fc.array(units, { maxLength }).map((drawn) => drawn.join(""));

test("a pattern is what a regular expression says, one longer than a word of bits too", () => {
  const filling = fc.constantFrom("", "ab".repeat(40));
  fc.assert(
    fc.property(textOf(7), textOf(7), textOf(12), filling, (first, last, text, filled) => {
      const pattern = first + filled + last;
      const like = new LikePattern(pattern);
      for (const one of [text, text + filled + text]) {
        assert.equal(like.fits(one), expression(pattern).test(one), `${one} LIKE ${pattern}`);
      }
    }),
    { numRuns: 5_000 },
  );
});

test("an escaped text is found by itself alone", () => {
  fc.assert(
    fc.property(textOf(6), textOf(6), (text, other) => {
      assert.equal(new LikePattern(escapedForLike(text)).fits(other), text === other);
    }),
    { numRuns: 2_000 },
  );
});

function expression(pattern: string): RegExp {
  const signs = Array.from(pattern.matchAll(/\\?./gsu), ([sign]) => {
    if (sign === "%") return ".*";
    if (sign === "_") return ".";
    const character = sign.length > 1 && sign.startsWith("\\") ? sign.slice(1) : sign;
    return character.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
  });
  return new RegExp(`^${signs.join("")}$`, "su");
}
