import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareBytes } from "../../ground/byte-order.ts";
import { prefixEnd } from "./prefix.ts";

test("texts with a prefix are those from the prefix to its end, in the order of bytes", () => {
  const edges = ["\u{7f}", "\u{7ff}", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}", "a"];
  const text = fc.array(fc.oneof(fc.constantFrom(...edges), fc.string({ unit: "binary" })), {
    maxLength: 3,
  });
  const joined = text.map((all) => all.join(""));
  fc.assert(
    fc.property(joined, joined, fc.boolean(), (prefix, other, extend) => {
      const candidate = extend ? prefix + other : other;
      const end = prefixEnd(prefix);
      const isWithin =
        compareBytes(candidate, prefix) >= 0 &&
        (end === undefined || compareBytes(candidate, end) < 0);
      assert.equal(isWithin, candidate.startsWith(prefix));
    }),
    { numRuns: 2_000 },
  );
});

test("every text begins with nothing, and nothing ends what has only the last character", () => {
  assert.equal(prefixEnd(""), undefined);
  assert.equal(prefixEnd("\u{10ffff}\u{10ffff}"), undefined);
  assert.equal(prefixEnd("a\u{10ffff}"), "b");
  assert.equal(prefixEnd("\ud7ff"), "\ue000");
});
