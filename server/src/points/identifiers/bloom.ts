/**
 * A blocked bloom filter over 96-bit hashes: six bits in one block of 64 bytes, so that a test
 * costs one cache miss. Ten bits a key: a key that was not added passes in about one of a hundred
 * tests. A key that was added always passes.
 */
export class Bloom {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly #blocks: number;

  /** Takes over the words of a filter that was built before. */
  constructor(words: Uint32Array<ArrayBuffer>) {
    this.words = words;
    this.#blocks = words.length / wordsPerBlock;
  }

  static forKeys(count: number): Bloom {
    return new Bloom(new Uint32Array(Bloom.blocksFor(count) * wordsPerBlock));
  }

  static blocksFor(count: number): number {
    return Math.ceil((count * bitsPerKey) / (32 * wordsPerBlock));
  }

  add(a: number, b: number, c: number): void {
    const { words } = this;
    const block = this.#blockOf(a);
    words[block + ((b >>> 5) & 15)] |= 1 << b;
    words[block + ((b >>> 14) & 15)] |= 1 << (b >>> 9);
    words[block + ((b >>> 23) & 15)] |= 1 << (b >>> 18);
    words[block + ((c >>> 5) & 15)] |= 1 << c;
    words[block + ((c >>> 14) & 15)] |= 1 << (c >>> 9);
    words[block + ((c >>> 23) & 15)] |= 1 << (c >>> 18);
  }

  mayHave(a: number, b: number, c: number): boolean {
    if (this.#blocks === 0) return false;
    const { words } = this;
    const block = this.#blockOf(a);
    return (
      ((words[block + ((b >>> 5) & 15)] >>> b) &
        (words[block + ((b >>> 14) & 15)] >>> (b >>> 9)) &
        (words[block + ((b >>> 23) & 15)] >>> (b >>> 18)) &
        (words[block + ((c >>> 5) & 15)] >>> c) &
        (words[block + ((c >>> 14) & 15)] >>> (c >>> 9)) &
        (words[block + ((c >>> 23) & 15)] >>> (c >>> 18)) &
        1) !==
      0
    );
  }

  /**
   * Position of the block's first word. The first word of the hash chooses it, the others choose
   * bits: hashes come sorted, so that a filter is built block after block, in the processor's
   * cache.
   */
  #blockOf(a: number): number {
    return Math.floor((a * this.#blocks) / 0x1_0000_0000) * wordsPerBlock;
  }
}

export const bloomBlockBytes = 64;

const wordsPerBlock = bloomBlockBytes / 4;
const bitsPerKey = 10;
