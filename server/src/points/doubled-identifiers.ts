import { counterOf } from "./identifiers/counter.ts";
import type { IdentifierHasher } from "./identifiers/hash.ts";
import { Intervals } from "./identifiers/intervals.ts";
import type { IdentifierRun } from "./identifiers/run.ts";
import type { LogRecord } from "./log-record.ts";
import { counterFlag } from "./point-batch.ts";

/**
 * Finds identifiers of one experiment that are stored twice, which is a fault: takes every run,
 * then every log record. Each method returns how many of its identifiers had been there before.
 */
export class DoubledIdentifiers {
  readonly #hasher: IdentifierHasher;
  readonly #runs: IdentifierRun[] = [];
  readonly #intervals = new Map<string, Intervals>();
  readonly #unsealed = new Set<string>();
  readonly #hash = new Uint32Array(4);

  constructor(hasher: IdentifierHasher) {
    this.#hasher = hasher;
  }

  inRun(run: IdentifierRun): number {
    let doubled = 0;
    for (let bucket = 0; bucket < run.bucketCount; bucket++) {
      const entries = run.readEntries(bucket, bucket + 1);
      for (let at = 0; at < entries.length; at += 4) {
        const [a, b, c] = [entries[at], entries[at + 1], entries[at + 2]];
        const isRepeated =
          at > 0 && entries[at - 4] === a && entries[at - 3] === b && entries[at - 2] === c;
        if (isRepeated || this.#hasHash(a, b, c)) doubled++;
      }
    }
    for (const [prefix, ranges] of run.intervals) {
      const known = this.#intervals.get(prefix) ?? new Intervals();
      this.#intervals.set(prefix, known);
      const before = known.count;
      known.merge(ranges);
      doubled += before + ranges.count - known.count;
    }
    this.#runs.push(run);
    return doubled;
  }

  inRecord({ count, columns, prefixes }: LogRecord): number {
    let doubled = 0;
    for (let row = 0; row < count; row++) {
      const words = columns.identifier.subarray(4 * row, 4 * row + 4);
      const isCounter = columns.partition[row] >= counterFlag;
      const prefix = isCounter ? prefixes[words[0]] : "";
      const name = isCounter ? `${prefix}-${counterOf(words[2], words[3])}` : words.join();
      const isDoubled = isCounter
        ? this.#hasCounter(prefix, counterOf(words[2], words[3]), name)
        : this.#hasHash(words[0], words[1], words[2]);
      const key = `${isCounter} ${name}`;
      if (isDoubled || this.#unsealed.has(key)) doubled++;
      this.#unsealed.add(key);
    }
    return doubled;
  }

  #hasCounter(prefix: string, counter: number, whole: string): boolean {
    if (this.#intervals.get(prefix)?.has(counter)) return true;
    this.#hasher.hash(whole, this.#hash, 0);
    return this.#hasHash(this.#hash[0], this.#hash[1], this.#hash[2]);
  }

  #hasHash(a: number, b: number, c: number): boolean {
    return this.#runs.some((run) => run.find(a, b, c) >= 0);
  }
}
