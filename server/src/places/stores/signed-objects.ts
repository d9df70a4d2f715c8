import { errors } from "@lossless/protocol/errors";
import { ObjectMissing, type PartToSign, StoreError, UploadMissing } from "../../buckets/bucket.ts";
import type { SignedObjectAddress, SignedPartAddress } from "../../buckets/built-in/address.ts";
import type { BuiltInObject } from "../../buckets/built-in/object.ts";
import { SymbolicLink } from "../../buckets/built-in/directory.ts";
import { DamagedObject } from "../../buckets/built-in/part.ts";
import type { BuiltInBucket } from "../../buckets/built-in/bucket.ts";
import { DatabaseError } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import type { Storage } from "../../storage/storage.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import { diskFullSentence } from "./store-failure.ts";

/** The built-in location as the HTTP side sees it. All methods throw ServiceError. */
export interface SignedObjects {
  /** The part that an address allows to write; `forbidden` if altered, expired or of no use. */
  part(address: SignedPartAddress): PartToSign;
  /** Resolves with the part's ETag, unquoted, when it is stable. The body's errors come through. */
  writePart(part: PartToSign, body: AsyncIterable<readonly Uint8Array[]>): Promise<string>;
  /** The object that an address allows to read now. */
  open(address: SignedObjectAddress): Promise<ReadableObject>;
}

export interface ReadableObject {
  readonly sizeBytes: number;
  /** Strong ETag, with its quotes. */
  readonly etag: string;
  /**
   * Reads bytes; throws `data_corrupted` when they are not those stored: wrong bytes are never
   * returned.
   */
  read(offset: number, length: number): AsyncGenerator<Uint8Array>;
}

/** A part that is written holds half a megabyte at most, a file that is read one and a half. */
const writesMax = 256;
const readsMax = 128;

export class BuiltInObjects implements SignedObjects {
  readonly #bucket: BuiltInBucket;
  readonly #storage: Storage;
  readonly #log: Log;
  readonly #writes = new FairShares(writesMax);
  readonly #reads = new FairShares(readsMax);

  constructor(bucket: BuiltInBucket, storage: Storage, log: Log) {
    this.#bucket = bucket;
    this.#storage = storage;
    this.#log = log;
  }

  part(address: SignedPartAddress): PartToSign {
    const part = this.#bucket.checkPartAddress(address);
    if (part === undefined) throw invalidAddress();
    return part;
  }

  async writePart(part: PartToSign, body: AsyncIterable<readonly Uint8Array[]>): Promise<string> {
    using _writing = this.#take(part);
    const [organizationId, uploadId] = part.key.split("/");
    const state = await this.#storage.read("upload.state", { organizationId, uploadId });
    // completing: a commit that was cut short, after which a client may have to send a part again.
    if (state !== "pending" && state !== "completing") throw endedUpload();
    return await this.#write(part, body);
  }

  /** The same for a part of a file that the service itself puts there. */
  async passPart(part: PartToSign, body: AsyncIterable<readonly Uint8Array[]>): Promise<string> {
    using _writing = this.#take(part);
    return await this.#write(part, body);
  }

  /** An object that it puts there whole; resolves when that is stable. */
  async passObject(
    object: { key: string; sizeBytes: number },
    body: AsyncIterable<readonly Uint8Array[]>,
  ): Promise<void> {
    using _writing = this.#take(object);
    try {
      await this.#bucket.putWhole(object, body);
    } catch (error) {
      throw this.#asServiceError(error);
    }
  }

  #take({ key }: { key: string }): Disposable {
    const [organizationId] = key.split("/");
    const writing = this.#writes.take(organizationId);
    if (writing === undefined) throw tooMany("sent");
    return writing;
  }

  async #write(part: PartToSign, body: AsyncIterable<readonly Uint8Array[]>): Promise<string> {
    try {
      return await this.#bucket.writePart(part, body);
    } catch (error) {
      throw this.#asServiceError(error);
    }
  }

  open(address: SignedObjectAddress): Promise<ReadableObject> {
    if (!this.#bucket.checkReadAddress(address)) throw invalidAddress();
    return this.openKey(address.key);
  }

  /** The object that a caller may read for other reasons than an address. */
  async openKey(key: string): Promise<ReadableObject> {
    try {
      const object = await this.#bucket.open(key);
      const { sizeBytes, etag } = object;
      return { sizeBytes, etag, read: (offset, length) => this.#read(object, offset, length) };
    } catch (error) {
      throw this.#asServiceError(error);
    }
  }

  async *#read(object: BuiltInObject, offset: number, length: number): AsyncGenerator<Uint8Array> {
    const [organizationId] = object.index.key.split("/");
    using reading = this.#reads.take(organizationId);
    if (reading === undefined) throw tooMany("fetched");
    try {
      yield* object.read(offset, length);
    } catch (error) {
      throw this.#asServiceError(await this.#explained(error));
    }
  }

  /** A part file that is not found may be no damage: the whole directory may be away. */
  async #explained(error: unknown): Promise<unknown> {
    return this.#bucket.explainMissing(error).then(
      () => error,
      (reason: unknown) => reason,
    );
  }

  /**
   * Returns the error for the client, who learns only that the disk failed; the details are for the
   * operator.
   */
  #asServiceError(error: unknown): unknown {
    if (error instanceof UploadMissing) return endedUpload();
    if (error instanceof ObjectMissing) {
      return new ServiceError("not_found", "There is no such file.");
    }
    if (error instanceof DatabaseError && error.kind === "full") {
      return new ServiceError("storage_full", diskFullSentence);
    }
    if (!(error instanceof StoreError)) return error;
    const isDamage = error instanceof DamagedObject || error instanceof SymbolicLink;
    if (!isDamage) return new ServiceError("unavailable", error.message);
    this.#log.error({ err: error }, "a file of the built-in location is damaged");
    return new ServiceError("data_corrupted", errors.data_corrupted.sentence);
  }
}

function tooMany(what: "sent" | "fetched"): ServiceError {
  return new ServiceError("overloaded", `Too many files are being ${what} at once; try again.`);
}

function invalidAddress(): ServiceError {
  return new ServiceError(
    "forbidden",
    "The signed address was altered or has expired; resign or read gives a new one.",
  );
}

function endedUpload(): ServiceError {
  return new ServiceError(
    "forbidden",
    "The upload was committed or abandoned; it accepts no parts.",
  );
}
