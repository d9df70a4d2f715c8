/**
 * The identifiers that are still in the log, exactly, each with the fingerprint of its payload: an
 * open-addressing table that starts small and doubles. An identifier is added only after its commit
 * is on stable storage.
 *
 * Keys are four words: a hash, or [prefix number, counterKeyMark, counter high, counter low] for a
 * counter identifier. Entries lie densely in order of arrival; `slots` holds entry number + 1 and
 * `tags` eight bits of the key's hash (0 = free), so that a lookup of a new identifier rarely
 * leaves the small tag array and growing never moves keys by hash. Memory: 30 to 60 bytes an
 * identifier.
 */
export class RecentIdentifiers {
  #entryCount = 0;
  #mask = slotsAtStart - 1;
  #tags = new Uint8Array(slotsAtStart);
  #slots = new Uint32Array(slotsAtStart);
  /**
   * Entries of five words: the key and the fingerprint. There are half as many as slots: the load
   * is at most 0.5.
   */
  #entries = new Uint32Array((slotsAtStart / 2) * wordsPerEntry);

  get size(): number {
    return this.#entryCount;
  }

  /** Approximate bytes in memory: three arrays. */
  get bytes(): number {
    return 768 + this.#tags.byteLength + this.#slots.byteLength + this.#entries.byteLength;
  }

  /** The fingerprint that was added with this key, or -1. */
  find(a: number, b: number, c: number, d: number): number {
    const hash = mixKey(a, b, c, d);
    const tag = (hash >>> 24) | 1;
    const tags = this.#tags;
    const mask = this.#mask;
    for (let slot = hash & mask; tags[slot] !== 0; slot = (slot + 1) & mask) {
      if (tags[slot] !== tag) continue;
      const entries = this.#entries;
      const at = (this.#slots[slot] - 1) * wordsPerEntry;
      if (
        entries[at] === a >>> 0 &&
        entries[at + 1] === b >>> 0 &&
        entries[at + 2] === c >>> 0 &&
        entries[at + 3] === d >>> 0
      ) {
        return entries[at + 4];
      }
    }
    return -1;
  }

  /** Adds a key, which must be absent: the caller has called find() before. */
  add(a: number, b: number, c: number, d: number, fingerprint: number): void {
    if (this.#entryCount * 2 === this.#slots.length) this.#grow();
    const at = this.#entryCount * wordsPerEntry;
    const entries = this.#entries;
    entries[at] = a;
    entries[at + 1] = b;
    entries[at + 2] = c;
    entries[at + 3] = d;
    entries[at + 4] = fingerprint;
    this.#entryCount++;
    this.#insert(mixKey(a, b, c, d), this.#entryCount);
  }

  #insert(hash: number, entryNumber: number): void {
    let slot = hash & this.#mask;
    while (this.#tags[slot] !== 0) slot = (slot + 1) & this.#mask;
    this.#tags[slot] = (hash >>> 24) | 1;
    this.#slots[slot] = entryNumber;
  }

  #grow(): void {
    const slots = this.#slots.length * 2;
    const entries = new Uint32Array((slots / 2) * wordsPerEntry);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#mask = slots - 1;
    this.#tags = new Uint8Array(slots);
    this.#slots = new Uint32Array(slots);
    for (let entry = 0, at = 0; entry < this.#entryCount; entry++, at += wordsPerEntry) {
      this.#insert(
        mixKey(entries[at], entries[at + 1], entries[at + 2], entries[at + 3]),
        entry + 1,
      );
    }
  }
}

/**
 * Second word of a counter identifier's key: keeps it apart from hashes (which equal such a key by
 * chance 1 : 2^96).
 */
export const counterKeyMark = 0xffff_ffff;

/** Initial number of slots; small, because many runs have only a few points. */
const slotsAtStart = 64;
const wordsPerEntry = 5;

/** Hashes are random already, counter keys are not: both go through the mixer. */
function mixKey(a: number, b: number, c: number, d: number): number {
  let h = Math.imul(a ^ Math.imul(d, 0x9e3779b1) ^ Math.imul(c, 0x85ebca6b) ^ (b << 7), 0xcc9e2d51);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  return h ^ (h >>> 15);
}
