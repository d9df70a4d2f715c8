import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { joinedCrc32 } from "./joined-crc32.ts";

test("CRCs of parts join to the CRC of the whole, wherever it is cut", () => {
  const bytes = randomBytes(70_000);
  for (const cut of [0, 1, 7, 8, 65_535, 65_536, 69_999, 70_000]) {
    const [first, second] = [bytes.subarray(0, cut), bytes.subarray(cut)];
    assert.equal(joinedCrc32(crc32(first), crc32(second), second.length), crc32(bytes));
  }
  assert.equal(joinedCrc32(0, crc32(bytes), bytes.length), crc32(bytes));
});

test("lengths above 4 GiB", () => {
  const zeros = new Uint8Array(1_048_576);
  let crc = crc32("start");
  let joined = 0;
  for (let count = 0; count < 5; count++) joined = joinedCrc32(joined, crc32(zeros), zeros.length);
  for (let count = 0; count < 5; count++) crc = crc32(zeros, crc);
  assert.equal(joinedCrc32(crc32("start"), joined, 5 * zeros.length), crc);
  // x^(2^32 - 1) is 1 modulo a primitive polynomial, so that many bits of zeros shift nothing.
  assert.equal(joinedCrc32(123_456, 0, 2 ** 32 - 1), 123_456);
});
