/**
 * A store of immutable objects. There are two kinds of user: sealed segments (SegmentBucket) and
 * artifacts (ArtifactBucket, which clients fill themselves). Keys are made by the service; those of
 * artifacts may hold users' names, so each driver says which keys it takes (`readableKeys`). One
 * conformance suite runs on every driver (conformance.fixture.ts).
 */
export interface Bucket {
  /**
   * Stores the concatenation of `parts` under a key that was never used before; ObjectExists when
   * it was. Resolves when it is on stable storage. Whole or absent: no reader sees a part of it.
   */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * Reads exactly `length` bytes from `offset`. Throws ObjectMissing when the key is absent,
   * ObjectShort when it ends earlier.
   */
  read(key: string, offset: number, length: number): Promise<Uint8Array>;
  /** The object's size in bytes. Throws ObjectMissing. */
  size(key: string): Promise<number>;
  /** Removes the object; an absent key is no error. */
  delete(key: string): Promise<void>;
  /** Lists every object whose key starts with `prefix`, unordered. */
  list(prefix: string): AsyncIterable<ListedObject>;
}

export interface ListedObject {
  key: string;
  sizeBytes: number;
  modifiedMs: number;
}

export interface SegmentBucket extends Bucket {
  /**
   * Reads the last bytes of an object, at most so many, and its size at once, for passes over many
   * short objects, into memory of the caller's if it has some. Left out where `size` and `read` are
   * as fast. Throws ObjectMissing.
   */
  readEnd?(
    key: string,
    bytesMax: number,
    memory?: (length: number) => Uint8Array,
  ): Promise<{ size: number; bytes: Uint8Array }>;
  /**
   * Path of a local file with the whole object (the object itself, or a copy), for readers that
   * need many small reads. Throws ObjectMissing.
   */
  localFile(key: string): Promise<string>;
}

/**
 * A bucket that clients fill part by part through signed addresses, and read the same way. An
 * upload of one object is: startUpload, any number of signed PUTs, complete or abort. Nothing is
 * visible under the key before complete, and nothing that a client can still send changes the
 * object after it. One store in between (OpenStack Swift) takes parts after complete; the object
 * then cannot be read until the right part is sent again, but is never read wrong.
 *
 * Every call may throw StoreError; a call that the store does not answer ends by itself (30 s).
 */
export interface ArtifactBucket extends Bucket, AsyncDisposable {
  /**
   * true: keys may hold any name (`acme/run 7/model.bin`), so that people find their files in their
   * own bucket. false: only `[a-z0-9/._-]`.
   */
  readonly readableKeys: boolean;
  /** Limits on the parts of an upload. */
  readonly limits: PartLimits;

  /** `storeVersion` names a state of the object, where the store keeps several. */
  read(
    key: string,
    offset: number,
    length: number,
    storeVersion?: string | null,
  ): Promise<Uint8Array>;
  /** Begins a multipart upload and returns the store's id for it. */
  startUpload(key: string): Promise<string>;
  /**
   * Signs one address for each part, in the order given, valid for `lifetimeMs` at most (less when
   * the credentials end before): a PUT of exactly `sizeBytes` bytes, or of any size where it is
   * absent. Its reply carries the part's ETag (on Azure none).
   */
  signParts(parts: readonly OpenPart[], lifetimeMs: number): Promise<Signed<SignedRequest>>;
  /** Signs one address for each object: a GET, with or without a range. */
  signReads(objects: readonly ObjectToRead[], lifetimeMs: number): Promise<Signed<string>>;
  /**
   * Lists the parts that the store holds. Throws UploadMissing: never begun, aborted or completed,
   * though Swift goes on listing the parts of a completed upload.
   */
  listParts(upload: StoreUpload): Promise<StoredPart[]>;
  /**
   * Makes the object of exactly these parts, in order. Throws UploadMissing when there is no such
   * upload (any more): a repeated call finds out with `inspect` whether the first one succeeded.
   * Throws PartsRejected when the store does not hold these parts. Returns the store's version of
   * the object where a client that still has an address could put another under the key (Azure);
   * null elsewhere.
   */
  complete(upload: StoreUpload, parts: readonly CompletedPart[]): Promise<string | null>;
  /** Returns the object under the key now. Throws ObjectMissing. */
  inspect(key: string): Promise<StoredObject>;
  /** Ends an upload and frees its parts; one that is gone is no error. */
  abort(upload: StoreUpload): Promise<void>;
  /** Uploads that were begun and not ended, of keys that start with `prefix`, in no order. */
  listUploads(prefix: string): AsyncIterable<StoreUpload & { startedMs: number }>;
}

export interface PartLimits {
  partsMax: number;
  /** Minimal size of every part but the last. */
  partBytesMin: number;
  partBytesMax: number;
  /**
   * Bounds all files of an upload together, as far as their sizes allow, where each address costs a
   * call (Google Cloud).
   */
  partsPerUploadMax?: number;
}

export interface StoreUpload {
  key: string;
  storeUpload: string;
}

/** An object and its version; without `storeVersion` the present one. */
export interface ObjectToRead {
  key: string;
  storeVersion?: string | null;
  /** File name under which browsers save the object. */
  fileName?: string;
}

export interface StoredObject {
  sizeBytes: number;
  /** The version that `complete` returned. */
  storeVersion: string | null;
}

/** A part whose size only its client knows; the built-in location takes none. */
export interface OpenPart extends StoreUpload {
  /** Number of the part, from 1. */
  number: number;
  sizeBytes?: number;
}

/** A PUT of a part of known size has it among its headers. */
export function lengthHeader({ sizeBytes }: OpenPart): Record<string, string> {
  return sizeBytes === undefined ? {} : { "content-length": String(sizeBytes) };
}

export interface PartToSign extends OpenPart {
  sizeBytes: number;
}

export interface Signed<Address> {
  addresses: Address[];
  /** Unix milliseconds of the first expiry. */
  expiresAtMs: number;
}

export interface SignedRequest {
  url: string;
  headers: Record<string, string>;
}

export interface StoredPart {
  number: number;
  sizeBytes: number;
  /** ETag as the store lists it, without quotes. */
  etag: string;
}

export interface CompletedPart {
  number: number;
  /** ETag as the client received it, with quotes; drivers compare without them. */
  etag: string;
}

export class ObjectMissing extends Error {
  override name = "ObjectMissing";
  constructor(key: string) {
    super(`There is no object ${key}.`);
  }
}
export class ObjectShort extends Error {
  override name = "ObjectShort";
  constructor(key: string, offset: number, length: number) {
    super(`The object ${key} ends before ${offset} + ${length} bytes.`);
  }
}
export class ObjectExists extends Error {
  override name = "ObjectExists";
  constructor(key: string) {
    super(`The object ${key} exists already.`);
  }
}
export class UploadMissing extends Error {
  override name = "UploadMissing";
  constructor({ key }: StoreUpload) {
    super(`There is no such upload of ${key}.`);
  }
}
/** The client named parts that the store does not hold, or not so: it can send them again. */
export class PartsRejected extends Error {
  override name = "PartsRejected";
}

/**
 * A store that refuses, fails or does not answer. `code` is the store's own (`AccessDenied`,
 * `SlowDown`, `timeout`, `refused`, `forbidden address`), safe to show; the message never has a
 * body or a secret.
 */
export class StoreError extends Error {
  override name = "StoreError";
  readonly code: string;
  /** Whether the same call may succeed later. */
  readonly transient: boolean;
  /**
   * Advice for the person who must act, a whole sentence that is safe to show; undefined when
   * unknown.
   */
  readonly advice: string | undefined;
  constructor(code: string, transient: boolean, message: string, cause?: unknown, advice?: string) {
    super(message, { cause });
    this.code = code;
    this.transient = transient;
    this.advice = advice;
  }
}
