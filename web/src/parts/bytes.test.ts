import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText } from "./bytes.ts";

test("bytes are said in the unit that keeps them below a thousand", () => {
  const said: Record<number, string> = {
    0: "0 bytes",
    1: "1 byte",
    999: "999 bytes",
    1_000: "1.0 kB",
    999_400: "999 kB",
    999_600: "1.0 MB",
    1_340_000_000: "1.3 GB",
    4_200_000_000_000_000: "4.2 PB",
    4_200_000_000_000_000_000: "4200 PB",
  };
  for (const [bytes, words] of Object.entries(said)) assert.equal(bytesText(Number(bytes)), words);
});
