import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { suite, test } from "node:test";
import { metricNamed } from "./metric-name.ts";
import { sha256Hex } from "./sha256.ts";

suite("names of metrics", () => {
  test("are those that the Python client gives", () => {
    for (const [given, name, tag] of [
      ["loss/train 1", "loss/train 1", undefined],
      ["perte/\u00e9", "perte/%C3%A9", "perte/\u00e9"],
      ["\u640d\u5931", "%E6%90%8D%E5%A4%B1", "\u640d\u5931"],
      ["\u{1f600}", "%F0%9F%98%80", "\u{1f600}"],
      ["a\0b\n", "a%00b%0A", "a\ufffdb\n"],
      ["x\ud800", "x%3F", "x?"],
      ["100%", "100%", undefined],
      // hashlib.sha256(b"n" * 300).hexdigest()[:8]
      ["n".repeat(300), `${"n".repeat(247)}~230b0774`, "n".repeat(300)],
      ["n".repeat(256), "n".repeat(256), undefined],
    ]) {
      assert.deepEqual(metricNamed(given!), { name, meta: tag === undefined ? {} : { tag } });
    }
    const long = metricNamed("\u00e9".repeat(300));
    assert.deepEqual([long.name.length, long.meta.tag], [256, "\u00e9".repeat(256)]);
    assert.equal(metricNamed(`x${"\u00e9".repeat(300)}`).meta.tag, `x${"\u00e9".repeat(255)}`);
  });

  test("SHA-256 is the one of everybody", () => {
    for (let length = 0; length < 300; length++) {
      const bytes = new Uint8Array(length).map((_, index) => (index * 7 + length) % 256);
      assert.equal(sha256Hex(bytes), createHash("sha256").update(bytes).digest("hex"));
    }
  });
});
