import type { FileAddressReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { FileName, StoredFile } from "../rows/mlflow/file.ts";
import type { FileOwner } from "../rows/mlflow/owner.ts";
import { lastWord } from "../../ground/attachment.ts";
import { ServiceError } from "../../ground/errors.ts";
import { FairShares } from "../../ground/fair-shares.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { writeOne } from "../../storage/storage.ts";
import type { PassedParts } from "../../places/stores/passed-parts.ts";
import type { BuiltInObjects, ReadableObject } from "../../places/stores/signed-objects.ts";
import { atStore } from "../../places/stores/store-failure.ts";
import { beginFileUpload } from "./begin-file.ts";
import { type FilePart, filePartsBytesMax, readObjectPart } from "./file.ts";
import { FileParts } from "./file-parts.ts";
import { storeObject } from "./store-object.ts";
import type { WalkContext } from "./walk-context.ts";

export interface PutFile extends FileName {
  /** Declared size; undefined when the client declared none. */
  sizeBytes: number | undefined;
  body: AsyncIterable<readonly Uint8Array[]>;
}

/** A range of bytes of a file. */
export interface ReadFileBytes extends FileName {
  /** Holder of the share of memory that it takes. */
  holder: string;
  offset: number;
  length: number;
}

/** An opened file: its bytes, or their address. */
export type OpenFile = { url: string } | { object: ReadableObject };

export interface FilesContext extends WalkContext {
  parts: PassedParts;
  objects: Pick<BuiltInObjects, "openKey">;
}

/** Parts that wait for a store, and the copies that are sent. */
const waitingBytesMax = 256 * 1_048_576;

/**
 * The walks of single files through database and stores. A file is written down before its store
 * hears of it, sent under a key that was never used, and becomes the file of its path in one
 * transaction when it is stable: readers see the one before or this one, whole.
 */
export class Files {
  readonly #context: FilesContext;
  readonly #looks = new FairShares(filePartsBytesMax, limits.filePartBytesMax);
  readonly #waiting = new FairShares(waitingBytesMax, 2 * limits.passedPartBytesMax);
  /** Uploads whose parts clients send to the bucket themselves. */
  readonly parts: Pick<FileParts, keyof FileParts>;

  constructor(context: FilesContext) {
    this.#context = context;
    this.parts = new FileParts(context);
  }

  async put(input: PutFile): Promise<void> {
    const { storage } = this.#context;
    const { organizationId, owner, path, sizeBytes } = input;
    const { uploadId, key, location, bucket } = await beginFileUpload(this.#context, input);
    try {
      const { body } = input;
      using _share = this.#share(organizationId, location, sizeBytes);
      const made = await atStore("take the file", () =>
        storeObject(
          this.#context.parts,
          { location, bucket },
          { key, sizeBytes, body },
          this.#context.failpoints,
        ),
      );
      await this.#context.failpoints.pass("file.beforeCommit");
      await writeOne(storage, "file.commit", { organizationId, owner, path, uploadId, ...made });
    } catch (error) {
      // Where even this cannot be written down, the sweeper comes a day later.
      const failed = { organizationId, uploadId, locationId: location.id, key };
      await writeOne(storage, "file.failed", failed).catch(() => undefined);
      throw error;
    }
    await this.#context.failpoints.pass("file.afterCommit");
  }

  async open(name: FileName): Promise<OpenFile> {
    const file = await this.#counted(name);
    if (file.location.driver !== "built-in") return { url: (await this.#signed(file, name)).url };
    return { object: await this.#context.objects.openKey(file.key) };
  }

  /** Returns the file's address, also at the built-in location, its expiry and its size. */
  async address(name: FileName): Promise<FileAddressReply> {
    const file = await this.#counted(name);
    return { ...(await this.#signed(file, name)), bytes: file.bytes };
  }

  /** Reads some of the file's bytes for a preview; to be disposed when they are sent. */
  async part({ offset, length, holder, ...name }: ReadFileBytes): Promise<FilePart> {
    const { bytes: size, ...file } = await this.#context.storage.read("file.read", name);
    const object = { ...file, organizationId: name.organizationId, size };
    return readObjectPart(this.#context, this.#looks, { object, holder, offset, length });
  }

  /** Counts a read of the whole file, then returns the file. */
  async #counted(name: FileName): Promise<StoredFile> {
    const { storage } = this.#context;
    const file = await storage.read("file.read", name);
    const { bytes, location } = file;
    const { organizationId } = name;
    const reads = [{ location, bytes }];
    await writeOne(storage, "usage.count", { organizationId, place: {}, reads });
    return file;
  }

  async #signed(
    { key, storeVersion, location }: StoredFile,
    { path }: FileName,
  ): Promise<Pick<FileAddressReply, "url" | "expiresAtMs">> {
    const bucket = this.#context.buckets.bucketOf(location);
    const file = { key, storeVersion, fileName: lastWord(path) };
    const sign = () => bucket.signReads([file], limits.signedUrlLifetimeMs);
    const { addresses, expiresAtMs } = await atStore("sign the file", sign);
    return { url: addresses[0], expiresAtMs };
  }

  /** The file of a path and all below it; of everything where the path is empty. */
  async delete(input: FileOwner & { path: string }): Promise<void> {
    for (let isDone = false; !isDone;)
      ({ isDone } = await writeOne(this.#context.storage, "file.delete", input));
  }

  /**
   * Reserves memory for buffered bytes of a file; none at the built-in location, which writes them
   * as they arrive.
   */
  #share(
    organizationId: string,
    { driver }: StoredLocation,
    sizeBytes = limits.partBytesMin,
  ): Disposable {
    if (driver === "built-in") return { [Symbol.dispose]: () => undefined };
    const share = this.#waiting.take(organizationId, 2 * Math.min(sizeBytes, maxShare(sizeBytes)));
    if (share !== undefined) return share;
    throw new ServiceError("overloaded", "Too many files are being sent at once; try again.");
  }
}

/** Returns the maximum of a part of a file of this size: a store takes 1,000 parts or more. */
function maxShare(sizeBytes: number): number {
  return Math.min(limits.passedPartBytesMax, Math.max(limits.partBytesMin, sizeBytes / 1_000));
}

/** The public side of Files, so that a test can stand in for it. */
export type FileWalks = Pick<Files, keyof Files>;
