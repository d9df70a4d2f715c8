import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, countedText } from "./words.ts";

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
