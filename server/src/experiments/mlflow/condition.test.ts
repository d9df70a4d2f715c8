import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fits } from "./condition.ts";

test("LIKE matches what a regular expression of the same meaning does", () => {
  const texts = fc.string({
    unit: fc.constantFrom("a", "b", "%", "_", ".", "\n", "\\"),
    maxLength: 12,
  });
  fc.assert(
    fc.property(texts, texts, (text, pattern) => {
      const escaped = pattern
        .replaceAll(/[.\\]/g, "\\$&")
        .replaceAll("%", ".*")
        .replaceAll("_", ".");
      assert.equal(isLike(text, pattern), new RegExp(`^${escaped}$`, "s").test(text));
    }),
  );
});

test("a pattern of many signs takes no longer than both lengths", () => {
  assert.equal(isLike("a".repeat(8_000), `${"%a".repeat(2_000)}%b`), false);
});

function isLike(text: string, value: string): boolean {
  return fits(text, { field: { kind: "tag", key: "t" }, comparator: "LIKE", value });
}

test("NaN is equal to nothing, and nothing but IS NULL is true of what is missing", () => {
  const field = { kind: "metric", key: "m" } as const;
  const found = (value: number | undefined, comparator: "=" | "!=" | "<" | ">=") =>
    fits(value, { field, comparator, value: 0 });
  assert.deepEqual(
    (["=", "!=", "<", ">="] as const).map((one) => found(NaN, one)),
    [false, true, false, false],
  );
  assert.equal(found(undefined, "!="), false);
  assert.equal(fits(undefined, { field, comparator: "IS NULL", value: undefined }), true);
});

test("ILIKE sees no case of A to Z, and with other letters in the pattern none of any script", () => {
  const field = { kind: "tag", key: "t" } as const;
  const fitting = (found: string, value: string) =>
    fits(found, { field, comparator: "ILIKE", value });
  assert.equal(fitting("ResNet-50", "RESNET-_0"), true);
  assert.equal(fitting("É", "_"), true);
  assert.equal(fitting("\u212a", "k"), false, "the sign of Kelvin is no letter of A to Z");
  assert.equal(fitting("ÉTÉ a", "été A"), true);
  assert.equal(fitting("Жук", "ж%"), true);
});
