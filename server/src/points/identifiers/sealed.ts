import type { SegmentBucket } from "../../buckets/bucket.ts";
import type { Reader } from "../../database/database.ts";
import { Intervals } from "./intervals.ts";
import { IdentifierRun } from "./run.ts";

/** All sealed identifiers of one experiment: the identifier objects in its manifest. */
export class SealedIdentifiers {
  readonly #bucket: SegmentBucket;
  #runs = new Map<string, IdentifierRun>();
  #intervals = new Map<string, Intervals>();
  hashedCount = 0;
  #intervalCount = 0;

  constructor(bucket: SegmentBucket) {
    this.#bucket = bucket;
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  /** Bloom filters, at 10 bits an identifier, and intervals take this memory, here and in runs. */
  get bytes(): number {
    return 2_048 * this.#runs.size + 1.3 * this.hashedCount + 100 * this.#intervalCount;
  }

  /** Opens runs that the manifest gained and closes those that it lost (merged). */
  async refresh(reader: Reader, experimentId: string): Promise<void> {
    const rows = await reader.all<{ key: string }>(
      "SELECT key FROM segment WHERE experiment = $1 AND kind = 'identifiers' ORDER BY seq_from DESC",
      experimentId,
    );
    // Opened ones are owned at once, so that dispose() closes them also when a later one cannot be
    // read.
    for (const { key } of rows) {
      if (this.#runs.has(key)) continue;
      const run = IdentifierRun.open(await this.#bucket.localFile(key));
      this.#runs.set(key, run);
      this.#addIntervals(run);
    }
    const named = new Set(rows.map(({ key }) => key));
    for (const [key, run] of this.#runs) {
      if (named.has(key)) continue;
      run.close();
      this.#runs.delete(key);
    }
    this.hashedCount = 0;
    this.#intervalCount = 0;
    for (const run of this.#runs.values()) {
      this.hashedCount += run.hashedCount;
      for (const intervals of run.intervals.values()) this.#intervalCount += 1 + intervals.size;
    }
  }

  /** The 24-bit fingerprint kept with a hashed identifier, or -1. */
  findHash(a: number, b: number, c: number): number {
    for (const run of this.#runs.values()) {
      const found = run.find(a, b, c);
      if (found >= 0) return found;
    }
    return -1;
  }

  hasCounter(prefix: string, counter: number): boolean {
    return this.#intervals.get(prefix)?.has(counter) ?? false;
  }

  /** Whether no counter from `first` to `last` is there. */
  lacksRange(prefix: string, first: number, last: number): boolean {
    return this.#intervals.get(prefix)?.lacksRange(first, last) ?? true;
  }

  dispose(): void {
    for (const run of this.#runs.values()) run.close();
    this.#runs.clear();
  }

  /**
   * Intervals of all runs are united in memory: they are few, and a merge of runs does not change
   * the union.
   */
  #addIntervals(run: IdentifierRun): void {
    for (const [prefix, ranges] of run.intervals) {
      const known = this.#intervals.get(prefix);
      if (known === undefined) {
        const copy = new Intervals();
        copy.merge(ranges);
        this.#intervals.set(prefix, copy);
      } else known.merge(ranges);
    }
  }
}
