/** A cache with a maximum of bytes; evicts the least recently used entries. */
export class BoundedCache<Value> {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry<Value>>();
  /** Each entry once, the least recently used first. */
  readonly #inOrder = new Set<Entry<Value>>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#inOrder.delete(entry);
    this.#inOrder.add(entry);
    return entry.value;
  }

  /** Stores an entry, unless it is larger than the whole cache. */
  set(key: string, value: Value, bytes: number): void {
    this.setAll([key], value, bytes);
  }

  /** Stores one entry under several keys. */
  setAll(keys: readonly string[], value: Value, bytes: number): void {
    for (const key of keys) this.#remove(this.#entries.get(key));
    if (bytes > this.#bytesMax) return;
    const entry = { keys, value, bytes };
    for (const key of keys) this.#entries.set(key, entry);
    this.#inOrder.add(entry);
    this.#bytes += bytes;
    for (const oldest of this.#inOrder) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#remove(oldest);
    }
  }

  /** Counts more bytes for an entry, if it is still there. */
  grow(key: string, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.setAll(entry.keys, entry.value, entry.bytes + bytes);
  }

  #remove(entry: Entry<Value> | undefined): void {
    if (entry === undefined) return;
    for (const key of entry.keys) this.#entries.delete(key);
    this.#inOrder.delete(entry);
    this.#bytes -= entry.bytes;
  }
}

interface Entry<Value> {
  keys: readonly string[];
  value: Value;
  bytes: number;
}
