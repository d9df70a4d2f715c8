import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import { NewerFormat } from "../../ground/newer-format.ts";
import { CorruptData } from "../corrupt-data.ts";
import { buildIdentifierRun } from "./build-run.ts";
import { Intervals } from "./intervals.ts";
import { mergeIdentifierRuns } from "./merge-runs.ts";
import { bucketBitsFor, entryBytes, runHeaderBytes } from "./run-format.ts";
import { IdentifierRun } from "./run.ts";

const directory = mkdtempSync(join(tmpdir(), "lossless-runs-"));
after(() => rmSync(directory, { recursive: true }));

let files = 0;
function open(parts: readonly Uint8Array[]): IdentifierRun {
  const path = join(directory, `${files++}.identifiers`);
  writeFileSync(path, Buffer.concat(parts));
  return IdentifierRun.open(path);
}

function randomWords(count: number, seed: number): Uint32Array {
  const words = new Uint32Array(count);
  let state = seed;
  for (let i = 0; i < count; i++) {
    state = (state + 0x9e3779b9) | 0;
    let word = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    words[i] = word ^ (word >>> 16);
  }
  return words;
}

function counters(...ranges: [number, number][]): Intervals {
  const intervals = new Intervals();
  for (const [first, last] of ranges) intervals.addRange(first, last);
  return intervals;
}

test("an empty run has nothing", () => {
  using run = disposable(
    open(
      buildIdentifierRun({
        hashes: new Uint32Array(0),
        fingerprints: new Uint32Array(0),
        intervals: new Map(),
      }),
    ),
  );
  assert.equal(run.it.hashedCount, 0);
  assert.equal(run.it.find(0, 0, 0), -1);
  assert.equal(run.it.intervals.size, 0);
  run.it.verify();
});

// The sizes on both sides of one, two and more buckets, and of one and two implied bytes.
for (const count of [1, 2, 127, 128, 129, 1000, 16_383, 16_384, 40_000]) {
  test(`all of ${count} hashes are found with their fingerprints, and no others`, () => {
    const hashes = randomWords(3 * count, count);
    const fingerprints = randomWords(count, -count);
    using run = disposable(
      open(buildIdentifierRun({ hashes, fingerprints, intervals: new Map() })),
    );
    assert.equal(run.it.hashedCount, count);
    run.it.verify();
    for (let i = 0; i < count; i++) {
      const [a, b, c] = hashes.subarray(3 * i, 3 * i + 3);
      assert.equal(run.it.find(a, b, c), fingerprints[i] >>> 8);
      assert.equal(run.it.find(a, b, (c ^ 1) >>> 0), -1);
      assert.equal(run.it.find(a, (b ^ 0x8000_0000) >>> 0, c), -1);
      assert.equal(run.it.find((a ^ 1) >>> 0, b, c), -1);
    }
  });
}

test("hashes that share words, zeros and ones are kept apart", () => {
  const values = [0, 1, 0xff, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
  const hashes = Uint32Array.from(
    values.flatMap((a) => values.flatMap((b) => values.flatMap((c) => [a, b, c]))),
  );
  const fingerprints = Uint32Array.from({ length: hashes.length / 3 }, (_, i) => i << 8);
  using run = disposable(open(buildIdentifierRun({ hashes, fingerprints, intervals: new Map() })));
  run.it.verify();
  for (let i = 0; i < fingerprints.length; i++) {
    assert.equal(run.it.find(hashes[3 * i], hashes[3 * i + 1], hashes[3 * i + 2]), i);
  }
  assert.equal(run.it.find(2, 0, 0), -1);
});

test("from 16 thousand and from four million hashes on, one and two bytes are implied", () => {
  const million = 2 ** 20;
  const widths = [2 ** 14 - 1, 2 ** 14, 4 * million - 1, 4 * million, 64 * million];
  assert.deepEqual(
    widths.map((count) => entryBytes(bucketBitsFor(count))),
    [15, 14, 14, 13, 13],
  );
});

test("hashes with two implied bytes are found", () => {
  const count = 4 * 2 ** 20;
  const hashes = randomWords(3 * count, 9);
  const fingerprints = randomWords(count, 10);
  using run = disposable(open(buildIdentifierRun({ hashes, fingerprints, intervals: new Map() })));
  for (let i = 0; i < count; i += 211) {
    const [a, b, c] = hashes.subarray(3 * i, 3 * i + 3);
    assert.equal(run.it.find(a, b, c), fingerprints[i] >>> 8);
    assert.equal(run.it.find((a ^ 0x8000_0000) >>> 0, b, c), -1);
    assert.equal(run.it.find(a, b, (c ^ 1) >>> 0), -1);
  }
});

test("intervals come back with their prefixes", () => {
  const intervals = new Map([
    ["run-1", counters([0, 99], [200, 1e9])],
    ["läufer 🏃", counters([5, 5], [2 ** 52, Number.MAX_SAFE_INTEGER])],
  ]);
  const hashes = randomWords(300, 5);
  using run = disposable(
    open(buildIdentifierRun({ hashes, fingerprints: new Uint32Array(100), intervals })),
  );
  assert.deepEqual(run.it.intervals, intervals);
  run.it.verify();
});

test("a merger holds the hashes and the intervals of all, whatever their sizes", async () => {
  const sizes = [0, 3, 70_000, 1, 9_000, 300];
  const contents = sizes.map((count, i) => ({
    hashes: randomWords(3 * count, 100_000 * (i + 1)),
    fingerprints: randomWords(count, i),
    intervals: new Map([
      ["shared", counters([i * 10, i * 10 + 9])],
      [`own-${i}`, counters([i, i])],
    ]),
  }));
  const runs = contents.map((content) => open(buildIdentifierRun(content)));
  using merged = disposable(open(await mergeIdentifierRuns(runs)));
  for (const run of runs) run.close();
  merged.it.verify();
  assert.equal(merged.it.hashedCount, 79_304);
  assert.deepEqual(merged.it.intervals.get("shared"), counters([0, 59]));
  assert.deepEqual(merged.it.intervals.get("own-3"), counters([3, 3]));
  for (const { hashes, fingerprints } of contents) {
    for (let i = 0; i < fingerprints.length; i++) {
      const found = merged.it.find(hashes[3 * i], hashes[3 * i + 1], hashes[3 * i + 2]);
      assert.equal(found, fingerprints[i] >>> 8);
    }
  }
});

test("merging nothing but intervals, and merging empty runs", async () => {
  const empty = { hashes: new Uint32Array(0), fingerprints: new Uint32Array(0) };
  const runs = [counters([0, 5]), counters([6, 8])].map((each) =>
    open(buildIdentifierRun({ ...empty, intervals: new Map([["p", each]]) })),
  );
  using merged = disposable(open(await mergeIdentifierRuns(runs)));
  assert.deepEqual([...merged.it.intervals.get("p")!], [[0, 8]]);
  for (const run of runs) run.close();
});

test("no flipped bit and no truncation gives a wrong answer", () => {
  const hashes = randomWords(3 * 140, 77);
  const fingerprints = randomWords(140, 78);
  const intervals = new Map([["p", counters([1, 3], [7, 9])]]);
  const bytes = Buffer.concat(buildIdentifierRun({ hashes, fingerprints, intervals }));
  let detectedInAnswers = 0;
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const flipped = Uint8Array.from(bytes);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    assert.throws(
      () => {
        using run = disposable(open([flipped]));
        run.it.verify();
      },
      CorruptData,
      `bit ${bit}`,
    );
    if (bit % 5 !== 0) continue;
    try {
      using run = disposable(open([flipped]));
      for (let i = 0; i < 140; i++) {
        const found = run.it.find(hashes[3 * i], hashes[3 * i + 1], hashes[3 * i + 2]);
        assert.equal(found, fingerprints[i] >>> 8);
      }
      assert.deepEqual(run.it.intervals, intervals);
    } catch (error) {
      if (!(error instanceof CorruptData)) throw error;
      detectedInAnswers++;
    }
  }
  assert.ok(detectedInAnswers > 0);
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => open([bytes.subarray(0, length)]).verify(), CorruptData);
  }
});

test("an intact run of a later version is NewerFormat", () => {
  const parts = buildIdentifierRun({
    hashes: new Uint32Array(0),
    fingerprints: new Uint32Array(0),
    intervals: new Map(),
  });
  const header = Buffer.from(parts[0]);
  header[4] = 2;
  header.writeUInt32LE(crc32(header.subarray(0, runHeaderBytes - 4)), runHeaderBytes - 4);
  assert.throws(() => open([header, ...parts.slice(1)]), NewerFormat);
});

function disposable(it: IdentifierRun): Disposable & { it: IdentifierRun } {
  return { it, [Symbol.dispose]: () => it.close() };
}
