import { crc32 } from "node:zlib";
import { DatabaseError } from "../../database/database.ts";
import { ObjectMissing, StoreError, type SegmentBucket, type ListedObject } from "../bucket.ts";
import { CopiedObjects } from "./copied-objects.ts";
import type { ObjectSeal } from "./local-copies.ts";
import { S3Bucket, type S3Settings } from "../s3/bucket.ts";

/** A round trip to a store costs more than one to the database. */
const readsBeforeCopy = 4;
const copyPieceBytes = 8 * 1024 * 1024;
/** The writer reads segments while others wait for it: better refused soon than late. */
const deadlineMs = 10_000;
/** A value that no checksum has. */
const noChecksum = -2;
/** Key of the owner's object. No key of a segment has capital letters. */
const ownerKey = "OWNER";
const ownerBytesMax = 1_000;
/** The same keys as on disk and in tables, so that an object can move between the buckets. */
const soundKey = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;

export interface S3SegmentsSettings extends Omit<S3Settings, "egress"> {
  /** Common prefix of all keys in the bucket, without the slash that follows it. */
  prefix: string;
}

/**
 * Sealed objects below a prefix of an S3 bucket, for several nodes. A failing store appears to the
 * rest of the service as an unreachable database: throws DatabaseError `unavailable`.
 */
export class S3Segments implements SegmentBucket, AsyncDisposable {
  readonly #bucket: S3Bucket;
  readonly #prefix: string;
  readonly #copied: CopiedObjects;

  /** `cacheDirectory` holds copies of objects; threads may share it, and anyone may empty it. */
  constructor({ prefix, ...settings }: S3SegmentsSettings, cacheDirectory: string) {
    this.#bucket = new S3Bucket({ deadlineMs, ...settings, egress: null });
    this.#prefix = `${prefix}/`;
    const source = {
      seal: (key: string) => this.#seal(key),
      readRange: (key: string, offset: number, length: number) =>
        translated(this.#bucket.read(this.#prefix + key, offset, length)),
      readWhole: (key: string, write: (bytes: Uint8Array) => Promise<void>) =>
        this.#readWhole(key, write),
    };
    this.#copied = new CopiedObjects(source, cacheDirectory, readsBeforeCopy);
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    if (!soundKey.test(key)) throw new Error(`BUG: got the object key ${key}`);
    const crc = parts.reduce((sum, part) => crc32(part, sum), 0);
    await translated(this.#bucket.put(this.#prefix + key, parts, { crc32: String(crc) }));
  }

  read(key: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#copied.read(key, offset, length);
  }

  size(key: string): Promise<number> {
    return this.#seal(key).then(({ sizeBytes }) => sizeBytes);
  }

  localFile(key: string): Promise<string> {
    return this.#copied.localFile(key);
  }

  async delete(key: string): Promise<void> {
    await translated(this.#bucket.delete(this.#prefix + key));
    await this.#copied.remove(key);
  }

  /**
   * Lists objects. Those that no thread of the service could have put there are left out, so they
   * are never swept.
   */
  async *list(prefix: string): AsyncIterable<ListedObject> {
    const found = this.#bucket.list(this.#prefix + prefix)[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await translated(found.next());
      if (done === true) return;
      const key = value.key.slice(this.#prefix.length);
      if (soundKey.test(key)) yield { ...value, key };
    }
  }

  /** Returns the owner of the segments below this prefix; undefined when there is none yet. */
  async owner(): Promise<string | undefined> {
    const key = this.#prefix + ownerKey;
    try {
      const { sizeBytes } = await this.#bucket.head(key);
      const bytes = await this.#bucket.read(key, 0, Math.min(sizeBytes, ownerBytesMax));
      return new TextDecoder().decode(bytes);
    } catch (error) {
      if (error instanceof ObjectMissing) return undefined;
      return translated(Promise.reject(error));
    }
  }

  /** Claims the prefix, which must have no other owner. */
  async own(owner: string): Promise<void> {
    await translated(this.#bucket.put(this.#prefix + ownerKey, [new TextEncoder().encode(owner)]));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#bucket[Symbol.asyncDispose]();
  }

  /**
   * Returns an object's seal. Without our checksum, as after a copy of the bucket, no local copy
   * can be proved sound.
   */
  async #seal(key: string): Promise<ObjectSeal> {
    const { sizeBytes, metadata } = await translated(this.#bucket.head(this.#prefix + key));
    return { sizeBytes, crc: Number(metadata.crc32 ?? noChecksum) };
  }

  async #readWhole(key: string, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const { sizeBytes, crc } = await this.#seal(key);
    let sum = 0;
    for (let offset = 0; offset < sizeBytes; offset += copyPieceBytes) {
      const length = Math.min(copyPieceBytes, sizeBytes - offset);
      const piece = await translated(this.#bucket.read(this.#prefix + key, offset, length));
      sum = crc32(piece, sum);
      await write(piece);
    }
    if (crc === noChecksum || sum === crc) return;
    // Damaged in transfer or in the store: the next attempt finds out. No reader gets wrong bytes.
    throw new DatabaseError("unavailable", `The object ${key} arrived with a wrong checksum.`);
  }
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new DatabaseError("unavailable", `Segments in S3: ${error.message}`, error);
  }
}
