import assert from "node:assert/strict";
import { test } from "node:test";
import type { Raster } from "@lossless/protocol/raster";
import { encodeChunk } from "../../points/chunk.ts";
import { FoldThread } from "./folding.ts";
import { type FoldedColumns, FoldedCurve } from "./group-curve.ts";
import { addShort, type FoldedGroups, type ShortLines } from "./short-fold.ts";

const raster: Raster = { start: 0, end: 100, columns: 40 };
const how = { raster, axis: "step", countsBelow: false } as const;
const step = Float64Array.from({ length: 300 }, (_, at) => at);
const damaged = 1_234;

function valueOf(line: number): Float64Array {
  return Float64Array.from(step, (at) => Math.sin(at * line) * line);
}

/** Lines of four groups; the chunk of one has a byte that differs. */
function linesFrom(first: number, count: number, origin = 0): ShortLines {
  const numbers = Uint32Array.from({ length: count }, (_, at) => first + at);
  const chunks = [...numbers].map((line) => {
    const chunk = encodeChunk({ step, timestamp: step, value: valueOf(line) });
    if (line === damaged) chunk[20] ^= 1;
    return chunk;
  });
  return {
    numbers,
    groups: numbers.map((line) => line % 4),
    chunks: new Uint8Array(Buffer.concat(chunks)),
    lengths: Uint32Array.from(chunks, ({ length }) => length),
    origins: new Float64Array(count).fill(origin),
  };
}

async function folded(folds: FoldThread, lines: number, origin = 0): Promise<FoldedGroups> {
  using folding = folds.begin(how, lines);
  for (let at = 0; at < lines; at += 100) await folding.add(linesFrom(at, 100, origin));
  return await folding.take();
}

function expected(lines: number, origin = 0): Map<number, FoldedColumns> {
  const curves = [0, 1, 2, 3].map(() => new FoldedCurve(raster));
  for (let line = 0; line < lines; line++)
    if (line !== damaged)
      addShort(curves[line % 4], { x: step.map((at) => at - origin), value: valueOf(line) }, how);
  return new Map(curves.map((curve, at) => [at, curve.columns()]));
}

test("many lines are folded in a thread, and few in this one, to the same bits", async () => {
  await using folds = new FoldThread();
  assert.deepEqual(await folded(folds, 500), { columns: expected(500), failed: [] });
  const [one, other] = await Promise.all([folded(folds, 2_000), folded(folds, 1_100, 7)]);
  assert.deepEqual(one, { columns: expected(2_000), failed: [damaged] });
  assert.deepEqual(other, { columns: expected(1_100, 7), failed: [] });
});

test("a request that ends early leaves nothing to those behind it", async () => {
  await using folds = new FoldThread();
  {
    using folding = folds.begin(how, 2_000);
    await folding.add(linesFrom(0, 100));
  }
  assert.deepEqual(await folded(folds, 1_000), { columns: expected(1_000), failed: [] });
});

test("a thread that dies fails its requests, and the next one gets another", async () => {
  await using folds = new FoldThread();
  {
    using folding = folds.begin(how, 2_000);
    const defect = { ...linesFrom(0, 10), groups: null as unknown as ShortLines["groups"] };
    const before = { ...defect, groups: new Uint32Array(10) };
    await folding.add(before);
    await assert.rejects(async () => {
      await folding.add(defect);
      await folding.take();
    }, /null/);
  }
  assert.deepEqual(await folded(folds, 1_000), { columns: expected(1_000), failed: [] });
});

test("a thread that is expected serves the next request, and none waits for it", async () => {
  await using folds = new FoldThread();
  folds.expect(2_000);
  using folding = folds.begin(how, 2_000);
  folds.expect(2_000);
  for (let at = 0; at < 2_000; at += 100) await folding.add(linesFrom(at, 100));
  assert.deepEqual(await folding.take(), { columns: expected(2_000), failed: [damaged] });
  // Expected only: it keeps no process alive, and nothing waits for it.
  await using idle = new FoldThread();
  idle.expect(2_000);
});
