import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockReader } from "../../points/blocks.ts";
import { encodeChunk } from "../../points/chunk.ts";
import { ShortFold } from "./short-fold.ts";

test("lines that take far more memory than disk are not decompressed together", (context) => {
  const step = Float64Array.from({ length: 2_000 }, (_, at) => at);
  // Sixteen kilobytes that come again after each 64 points.
  const value = Float64Array.from(step, (at) => Math.sin((at % 64) ** 2));
  const stored = encodeChunk({ step, timestamp: step, value });
  const count = 3_000;
  assert.ok(count * stored.length < 4_194_304, `${stored.length} bytes`);
  const raster = { start: 0, end: 2_000, columns: 10 };
  const fold = new ShortFold({ raster, axis: "step", countsBelow: false });
  const together = context.mock.method(BlockReader, "together");
  fold.add({
    numbers: new Uint32Array(count),
    groups: new Uint32Array(count),
    chunks: new Uint8Array(Buffer.concat(new Array<Uint8Array>(count).fill(stored))),
    lengths: new Uint32Array(count).fill(stored.length),
    origins: new Float64Array(count),
  });
  assert.equal(together.mock.callCount(), 2);
  const { columns, failed } = fold.take();
  assert.deepEqual([columns.get(0)!.points, failed], [count * step.length, []]);
});
