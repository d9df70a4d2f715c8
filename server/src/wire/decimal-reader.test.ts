import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DecimalReader } from "./decimal-reader.ts";

const reader = new DecimalReader();

/** Requires the bits of JSON.parse, and that no byte after the number is read. */
function agrees(text: string): void {
  const end = reader.read(Buffer.from(`${text},1`), 0);
  assert.equal(end, text.length, text);
  const expected = (JSON.parse(text) as number) + 0;
  assert.ok(Object.is(reader.value, expected), `${text}: ${reader.value} is not ${expected}`);
}

test("doubles as they are printed come back bit for bit", () => {
  const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true });
  const usual = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(anyDouble, usual, fc.integer({ min: 1, max: 21 }), (any, value, precision) => {
      agrees(JSON.stringify(any));
      agrees(JSON.stringify(value));
      agrees(value.toPrecision(precision));
      agrees(value.toExponential(precision - 1));
      agrees(value.toFixed(precision - 1));
    }),
    { numRuns: 3_000 },
  );
});

test("decimals beside the middle between two doubles are rounded as the engine does", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
      fc.integer({ min: 0, max: 7 }),
      fc.integer({ min: -1, max: 1 }),
      fc.nat(18),
      (mantissa, shift, beside, fraction) => {
        const middle = (mantissa * 2n + 1n) * 2n ** BigInt(shift) + BigInt(beside);
        const digits = String(middle);
        agrees(digits);
        const whole = digits.slice(0, Math.max(1, digits.length - fraction));
        agrees(`${whole}.${digits.slice(whole.length)}0`);
      },
    ),
    { numRuns: 3_000 },
  );
});

test("any digits", () => {
  const digits = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(..."0123456789".split("")), minLength, maxLength });
  const whole = digits(1, 25).map((text) => text.replace(/^0+(?=\d)/, ""));
  const exponent = fc.tuple(fc.constantFrom("e", "E", "e+", "e-", "E-"), digits(1, 3));
  const number = fc.tuple(
    fc.constantFrom("", "-"),
    whole,
    fc.option(digits(1, 25), { nil: undefined }),
    fc.option(exponent, { nil: undefined }),
  );
  fc.assert(
    fc.property(number, ([sign, integer, fraction, power]) => {
      const text = `${sign}${integer}${fraction === undefined ? "" : `.${fraction}`}`;
      agrees(`${text}${power === undefined ? "" : power.join("")}`);
    }),
    { numRuns: 5_000 },
  );
});

test("edges: zeros lose their sign, the huge becomes infinite, the tiny zero", () => {
  const edges = [
    "0",
    "-0",
    "-0.0",
    "0e99999",
    "1e22",
    "1e23",
    "1e308",
    "1e309",
    "-1e400",
    "5e-324",
  ];
  const more = [
    "2e-324",
    "-1e-400",
    "1e99999999999",
    "9007199254740993",
    "999999999999999999",
    "0.1",
  ];
  for (const text of [...edges, ...more]) agrees(text);
});

test("what is no JSON number is none", () => {
  for (const text of [
    "",
    "-",
    "+1",
    ".5",
    "1.",
    "1.e5",
    "1e",
    "1e+",
    "01",
    "-01",
    "--1",
    "NaN",
    "x",
  ]) {
    assert.equal(reader.read(Buffer.from(`${text},1`), 0), -1, text);
  }
  assert.equal(reader.read(Buffer.from("1"), 0), 1);
  assert.equal(reader.read(Buffer.from("1".repeat(101)), 0), -1);
});
