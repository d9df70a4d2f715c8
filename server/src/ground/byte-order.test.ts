import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareBytes } from "./byte-order.ts";

test("strings compare as their UTF-8 bytes do", () => {
  const text = fc.string({
    unit: fc.constantFrom("", "a", "b", "é", "\ud7ff", "\ue000", "\uffee", "😀", "🂡"),
  });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareBytes(left, right)), expected);
    }),
  );
});
