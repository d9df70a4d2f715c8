import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, countedText, digitsText, valueText } from "./words.ts";

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
  assert.equal(valueText(12_345_678), "1.2346e+7");
  assert.equal(valueText(0), "0");
});
