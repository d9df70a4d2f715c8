import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  counterHigh,
  counterLow,
  counterOf,
  counterStart,
  counterStartAscii,
  counterValue,
  counterValueAscii,
} from "./counter.ts";

/** The rule as a regular expression and BigInt: slow and obvious. */
function reference(id: string): { prefix: string; counter: number } | undefined {
  const match = /^([^]+)-(0|[1-9][0-9]*)$/.exec(id);
  if (match === null || BigInt(match[2]) > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return { prefix: match[1], counter: Number(match[2]) };
}

function parsed(id: string): { prefix: string; counter: number } | undefined {
  const start = counterStart(id);
  return start < 0
    ? undefined
    : { prefix: id.slice(0, start - 1), counter: counterValue(id, start) };
}

function parsedAscii(id: string): { prefix: string; counter: number } | undefined {
  const bytes = Buffer.from(`77-${id}9`);
  const end = 3 + id.length;
  const start = counterStartAscii(bytes, 3, end);
  if (start < 0) return undefined;
  return {
    prefix: bytes.toString("latin1", 3, start - 1),
    counter: counterValueAscii(bytes, start, end),
  };
}

test("the boundary cases", () => {
  const cases: [string, number | undefined][] = [
    ["a-0", 0],
    ["a-00", undefined],
    ["a-01", undefined],
    ["a-9007199254740991", 9007199254740991],
    ["a-9007199254740992", undefined],
    ["a-9007199254740993", undefined],
    ["a-9999999999999999", undefined],
    ["a-10000000000000000", undefined],
    ["a-b-12", 12],
    ["--5", 5],
    ["-5", undefined],
    ["5", undefined],
    ["", undefined],
    ["-", undefined],
    ["a-", undefined],
    ["a--", undefined],
    ["a-5 ", undefined],
    ["a-+5", undefined],
    ["a-5e1", undefined],
    ["a-１", undefined],
    ["🏃-7", 7],
    ["0b4ff9f6-8d51-4e4b-9a5e-123456789012", 123456789012],
    ["0b4ff9f6-8d51-4e4b-9a5e-12345678901f", undefined],
  ];
  for (const [id, counter] of cases) {
    assert.equal(parsed(id)?.counter, counter, id);
    assert.equal(reference(id)?.counter, counter, id);
  }
});

test("agrees with the regular expression on every string, in both forms", () => {
  const unit = fc.constantFrom("-", "0", "1", "9", "a", "7", "3");
  const ids = fc.oneof(
    fc.string({ unit, maxLength: 24 }),
    fc
      .tuple(fc.string({ unit }), fc.maxSafeNat())
      .map(([prefix, counter]) => `${prefix}-${counter}`),
    fc
      .tuple(fc.string({ unit }), fc.bigInt(0n, 10n ** 18n))
      .map(([prefix, counter]) => `${prefix}-${counter}`),
  );
  fc.assert(
    fc.property(ids, (id) => {
      assert.deepEqual(parsed(id), reference(id));
      assert.deepEqual(parsedAscii(id), reference(id));
    }),
    { numRuns: 5000 },
  );
});

test("a counter survives its split into two words", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (counter) => {
      const words = Uint32Array.of(counterHigh(counter), counterLow(counter));
      assert.equal(counterOf(words[0], words[1]), counter);
    }),
    { examples: [[0], [2 ** 32 - 1], [2 ** 32], [2 ** 53 - 1], [2 ** 31]] },
  );
});
