import assert from "node:assert/strict";
import { test } from "node:test";
import { consoleStreams } from "@lossless/protocol/console-streams";
import fc from "fast-check";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { CorruptData } from "../points/corrupt-data.ts";
import { encodeLines, Lines, type StoredLine } from "./lines.ts";
import { encodeObject, readBlock, readObjectIndex, verifyObject } from "./object.ts";

const line = fc.record<StoredLine>(
  {
    source: fc.nat({ max: 4_095 }),
    stream: fc.constantFrom(...consoleStreams),
    timestampMs: fc.nat({ max: 2 ** 40 }),
    text: fc
      .string({ unit: "grapheme", maxLength: 40 })
      .map((text) => text.replaceAll(/[\n\r]/g, "")),
    spans: fc.constantFrom("", '[{"start":0,"end":1,"style":"1;31"}]'),
  },
  { noNullPrototype: true },
);
const someLines = fc.array(line, { minLength: 1, maxLength: 60 });

test("lines are decoded as they were encoded", () => {
  fc.assert(
    fc.property(someLines, (lines) => {
      const decoded = new Lines(encodeLines(lines));
      assert.deepEqual(
        Array.from({ length: decoded.count }, (_, at) => decoded.line(at)),
        lines,
      );
      for (const at of lines.keys()) assert.equal(decoded.lineAt(decoded.startOf(at)), at);
    }),
  );
});

test("an object has the lines that were put into it, and says where", async () => {
  const lines = Array.from({ length: 9_000 }, (_, number): StoredLine => ({
    source: number % 3,
    stream: "stdout",
    timestampMs: 1_700_000_000_000 + ((number * 7_919) % 9_000),
    text: `${number} ${"x".repeat(number % 200)}`,
    spans: "",
  }));
  const bucket = holding(encodeObject(lines).parts);
  const index = await readObjectIndex(bucket, "key");
  assert.ok(index.lines.length > 2);
  const read: StoredLine[] = [];
  for (let block = 0; block < index.lines.length; block++) {
    const found = await readBlock(bucket, "key", index, block);
    for (let at = 0; at < found.count; at++) read.push(found.line(at));
    assert.equal(index.lastMs[block], Math.max(...found.timestampMs));
  }
  assert.deepEqual(read, lines);
  assert.equal(await verifyObject(bucket, "key"), 9_000);
});

test("a changed byte of lines, or of an object, is found", async () => {
  const lines: StoredLine[] = [
    { source: 0, stream: "stderr", timestampMs: 5, text: "a", spans: "" },
    { source: 1, stream: "stdout", timestampMs: 6, text: "b", spans: "" },
  ];
  const record = encodeLines(lines);
  for (const at of record.keys()) {
    const damaged = record.slice();
    damaged[at] ^= 1;
    assert.throws(() => new Lines(damaged), CorruptData, `byte ${at}`);
  }
  const whole = Buffer.concat(encodeObject(lines).parts);
  for (const at of whole.keys()) {
    const damaged = Buffer.from(whole);
    damaged[at] ^= 1;
    await assert.rejects(verifyObject(holding([damaged]), "key"), CorruptData, `byte ${at}`);
  }
});

test("bytes of the first version are read for ever", () => {
  const golden = Buffer.from(
    "4c534c4e0100000002000000030000000000020200000001000300000000050203000000610a62030000000a5b5de90dd502",
    "hex",
  );
  const decoded = new Lines(golden);
  assert.deepEqual(
    [decoded.line(0), decoded.line(1)],
    [
      { source: 0, stream: "stderr", timestampMs: 5, text: "a", spans: "" },
      { source: 1, stream: "stdout", timestampMs: 6, text: "b", spans: "[]" },
    ],
  );
});

function holding(parts: readonly Uint8Array[]): Pick<SegmentBucket, "read" | "size"> {
  const bytes = Buffer.concat(parts);
  return {
    size: () => Promise.resolve(bytes.length),
    read: (_key, offset, length) => {
      if (offset < 0 || offset + length > bytes.length)
        throw new CorruptData("a read beyond the end");
      return Promise.resolve(new Uint8Array(bytes.subarray(offset, offset + length)));
    },
  };
}
