/**
 * Where immutable objects live: sealed segments now, artifact parts later. Keys are slash-separated words
 * that the service makes itself (`[a-z0-9/._-]`), never names of users. One conformance suite runs on
 * every driver.
 */
export interface Bucket {
  /**
   * Stores the concatenation of `parts` under a key that was never used before. Resolves when it is on
   * stable storage (file and directory fsynced). Whole or absent: no reader ever sees a part of it.
   */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;
  /** Exactly `length` bytes from `offset`. Throws ObjectMissing when the key is absent, ObjectShort when it ends earlier. */
  read(key: string, offset: number, length: number): Promise<Uint8Array>;
  /** The object's size in bytes. Throws ObjectMissing. */
  size(key: string): Promise<number>;
  /** Path of a local file with the whole object (the object itself, or a copy), for readers that need many small reads. Throws ObjectMissing. */
  localFile(key: string): Promise<string>;
  /** Removes the object; an absent key is no error. */
  delete(key: string): Promise<void>;
  /** Every object whose key starts with `prefix`, in no order. */
  list(prefix: string): AsyncIterable<{ key: string; sizeBytes: number; modifiedMs: number }>;
}

export class ObjectMissing extends Error {
  override name = "ObjectMissing";
}
export class ObjectShort extends Error {
  override name = "ObjectShort";
}
