import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, countedText, digitsBetween, digitsText, spanText, valueText } from "./words.ts";

test("bytes have three digits at most", () => {
  const said = [0, 999, 1_000, 9_949, 9_950, 999_499, 999_500, 1.2e9, 5e12, 3e18].map(bytesText);
  const wanted = [
    "0 B",
    "999 B",
    "1.0 kB",
    "9.9 kB",
    "10 kB",
    "999 kB",
    "1.0 MB",
    "1.2 GB",
    "5.0 TB",
  ];
  assert.deepEqual(said, [...wanted, "3000 PB"]);
});

test("one of them has no s", () => {
  assert.deepEqual(
    [0, 1, 1_200].map((count) => countedText(count, "file")),
    ["0 files", "1 file", "1,200 files"],
  );
});

test("numbers are grouped by thousands, with as many digits as are asked for", () => {
  assert.equal(digitsText(1_234_567.89), "1,234,568");
  assert.equal(digitsText(-0.5), "-0.5");
  assert.equal(digitsText(-1_500.25), "-1,500.25");
  assert.equal(valueText(95_352), "95,352");
  assert.equal(valueText(3.276543219), "3.27654");
  assert.equal(valueText(-0.00012345678), "-0.000123457");
  assert.equal(valueText(12_345_678), "12,345,678");
  assert.equal(valueText(0), "0");
});

test("a number is said the same way everywhere, and what is rounded does not look exact", () => {
  assert.equal(valueText(1.1), "1.1");
  assert.equal(valueText(1.100002229561477), "1.10000");
  assert.equal(valueText(123_456_789.25), "123,456,789");
  assert.notEqual(valueText(123_456_789), valueText(123_457_789));
  assert.equal(valueText(3_965_100_032), "3,965,100,032");
  assert.equal(valueText(1.7976931348623157e308), "1.79769e308");
  assert.equal(valueText(5e-324), "5e-324");
  assert.equal(valueText(-2.5e-7), "-2.5e-7");
  assert.equal(valueText(2 ** 53 - 1), "9,007,199,254,740,991");
});

test("values that lie closely have the digits that tell them apart", () => {
  assert.equal(digitsBetween(0, 4), 6);
  const digits = digitsBetween(0.123456781, 0.123456789);
  assert.notEqual(valueText(0.123456781, digits), valueText(0.123456782, digits));
  assert.equal(digitsBetween(1, 1), 6);
  assert.equal(digitsBetween(1, 1.0000000000000002), 17);
});

test("a span has as many units as it is asked for", () => {
  const ms = 30 * 86_400_000 + 3_600_000 + 5_000;
  assert.equal(spanText(ms), "30 d 1 h");
  assert.equal(spanText(ms, Infinity), "30 d 1 h 5 s");
});
