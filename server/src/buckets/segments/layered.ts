import { ObjectMissing, type SegmentBucket, type ListedObject } from "../bucket.ts";

const rememberedMax = 10_000;

/**
 * Two buckets as one: new objects go to the first; missing ones are read from the second, where the
 * installation kept its objects before. Merges move these over, one after the other.
 */
export class LayeredSegments implements SegmentBucket {
  readonly #first: SegmentBucket;
  readonly #second: SegmentBucket;
  /** Keys that were found in the second bucket only. */
  readonly #older = new Set<string>();

  constructor(first: SegmentBucket, second: SegmentBucket) {
    this.#first = first;
    this.#second = second;
  }

  put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#first.put(key, parts);
  }

  read(key: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#find(key, (bucket) => bucket.read(key, offset, length));
  }

  size(key: string): Promise<number> {
    return this.#find(key, (bucket) => bucket.size(key));
  }

  localFile(key: string): Promise<string> {
    return this.#find(key, (bucket) => bucket.localFile(key));
  }

  async delete(key: string): Promise<void> {
    await this.#first.delete(key);
    await this.#second.delete(key);
    this.#older.delete(key);
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    yield* this.#first.list(prefix);
    yield* this.#second.list(prefix);
  }

  async #find<T>(key: string, work: (bucket: SegmentBucket) => Promise<T>): Promise<T> {
    if (this.#older.has(key)) return work(this.#second);
    try {
      return await work(this.#first);
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
    }
    const found = await work(this.#second);
    if (this.#older.size >= rememberedMax) this.#older.clear();
    this.#older.add(key);
    return found;
  }
}
