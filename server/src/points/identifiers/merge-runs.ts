import { setImmediate } from "node:timers/promises";
import { freeMemory } from "../../ground/free-memory.ts";
import { RunBuilder } from "./build-run.ts";
import { Intervals } from "./intervals.ts";
import type { IdentifierRun } from "./run.ts";

/**
 * Several identifier objects as one, for Bucket.put: hashes in one order, intervals united. Works
 * through the hash space in slices of some milliseconds and lets others run between them; the
 * result is in memory whole (about 14 bytes a hash).
 */
export async function mergeIdentifierRuns(runs: readonly IdentifierRun[]): Promise<Uint8Array[]> {
  const count = runs.reduce((sum, { hashedCount }) => sum + hashedCount, 0);
  const builder = new RunBuilder(count);
  const cursors = runs.map((run) => new RunCursor(run));
  const bucketsPerSlice = Math.max(
    1,
    2 ** Math.floor(Math.log2((idsPerSlice * builder.bucketCount) / (count + 1))),
  );
  let resumedAt = performance.now();
  const slice = new Slice();
  for (let first = 0; first < builder.bucketCount; first += bucketsPerSlice) {
    const last = Math.min(first + bucketsPerSlice, builder.bucketCount);
    slice.count = 0;
    const limit = last * 2 ** (32 - builder.bucketBits);
    for (const cursor of cursors) cursor.takeBelow(limit, slice);
    builder.add(slice.hashes, slice.fingerprints, slice.count, first, last);
    if (performance.now() - resumedAt < yieldAfterMs) continue;
    await setImmediate();
    resumedAt = performance.now();
  }
  return builder.finish(uniteIntervals(runs));
}

/**
 * Identifiers per slice, 2 to 5 ms on a busy core: with the wait before it is due, a turn stays
 * below 20 ms.
 */
const idsPerSlice = 8192;
const yieldAfterMs = 5;

function uniteIntervals(runs: readonly IdentifierRun[]): Map<string, Intervals> {
  const united = new Map<string, Intervals>();
  for (const { intervals } of runs) {
    for (const [prefix, ranges] of intervals) {
      const known = united.get(prefix) ?? new Intervals();
      known.merge(ranges);
      united.set(prefix, known);
    }
  }
  return united;
}

/** The hashes in one slice of the hash space. */
class Slice {
  hashes = new Uint32Array(6 * idsPerSlice);
  fingerprints = new Uint32Array(2 * idsPerSlice);
  count = 0;

  push(entries: Uint32Array, at: number): void {
    if (this.count === this.fingerprints.length) this.#grow();
    const to = 3 * this.count;
    this.hashes[to] = entries[at];
    this.hashes[to + 1] = entries[at + 1];
    this.hashes[to + 2] = entries[at + 2];
    this.fingerprints[this.count] = entries[at + 3];
    this.count++;
  }

  #grow(): void {
    const { hashes, fingerprints } = this;
    this.hashes = new Uint32Array(2 * hashes.length);
    this.hashes.set(hashes);
    this.fingerprints = new Uint32Array(2 * fingerprints.length);
    this.fingerprints.set(fingerprints);
  }
}

/**
 * Buckets per read, some 60 KiB: a system call for each bucket would cost more than the merging.
 */
const bucketsPerRead = 64;

/** Walks through a run once, some buckets at a time. */
class RunCursor {
  readonly #run: IdentifierRun;
  #nextBucket = 0;
  #entries: Uint32Array = new Uint32Array(0);
  #at = 0;

  constructor(run: IdentifierRun) {
    this.#run = run;
  }

  /** Moves all entries whose first word is below `limit` (up to 2^32) into the slice. */
  takeBelow(limit: number, slice: Slice): void {
    for (;;) {
      const entries = this.#entries;
      while (this.#at < entries.length && entries[this.#at] < limit) {
        slice.push(entries, this.#at);
        this.#at += 4;
      }
      if (this.#at < entries.length || this.#nextBucket === this.#run.bucketCount) return;
      const next = Math.min(this.#nextBucket + bucketsPerRead, this.#run.bucketCount);
      freeMemory(entries);
      this.#entries = this.#run.readEntries(this.#nextBucket, next);
      this.#nextBucket = next;
      this.#at = 0;
    }
  }
}
