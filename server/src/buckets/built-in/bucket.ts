import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { systemClock } from "../../ground/clock.ts";
import { DatabaseError } from "../../database/database.ts";
import { newId } from "../../ground/ids.ts";
import {
  type ArtifactBucket,
  type CompletedPart,
  ObjectExists,
  ObjectMissing,
  type ObjectToRead,
  type PartLimits,
  type OpenPart,
  type PartToSign,
  type Signed,
  type SignedRequest,
  type StoredObject,
  type StoredPart,
  StoreError,
  type StoreUpload,
  UploadMissing,
  type ListedObject,
} from "../bucket.ts";
import { ObjectSigner, type SignedObjectAddress, type SignedPartAddress } from "./address.ts";
import { DurableDirectory } from "./directory.ts";
import { countWritten, FreeSpace } from "./free-space.ts";
import { BuiltInObject, indexSuffix, uploadDirectory } from "./object.ts";
import { DamagedObject, partFileBytes } from "./part.ts";
import type { BodyPieces } from "./part-writer.ts";
import { DirectoryPresence } from "./presence.ts";
import { BuiltInUpload } from "./upload.ts";
import { walkObjects, walkUploads } from "./walk.ts";
import { isMissingFile, toDatabaseError } from "../disk-failure.ts";

export interface BuiltInSettings {
  directory: string;
  /**
   * Content of the directory's identity file. With it, every call checks that the directory is
   * still there.
   */
  directoryId?: string;
  /** 32 bytes, the same on every node. */
  signingKey: Uint8Array;
  /** The address under which clients reach the service. */
  baseUrl: () => string;
  /** Parts are refused (DatabaseError `full`) when less than this would stay free. */
  diskReserveBytes?: number;
  /** Called when the disk failed to make data durable: no further write may be acknowledged. */
  onFailure?: (error: Error) => void;
  clock?: () => number;
}

/**
 * The built-in location: a directory of the service, or one that all nodes share. An upload is a
 * directory of part files; completing it writes an index that names them, and no byte of them
 * moves.
 *
 *   <key>~<upload>/                      from startUpload on; `~` stands in no key
 *     <number>-<size>-<etag>             a part that was acknowledged; it never changes (part.ts)
 *     ~<random>                          a file that is being written
 *     end                                made once, by link: the index, or empty after an abort
 *   <key>~index                          the object: the same index (index.ts)
 *
 * Several processes may use one directory: what happens is decided by names of files, and nothing
 * that matters is remembered. Throws DatabaseError `full` when there is no space and `failed` when
 * the disk does not do what it should, DamagedObject when stored bytes are not those that were
 * acknowledged, StoreError `directory gone` when the directory went away: then nothing counts as
 * missing, and nothing is made anew.
 */
export class BuiltInBucket implements ArtifactBucket {
  readonly readableKeys = false;
  readonly limits: PartLimits = { partsMax: 10_000, partBytesMin: 1, partBytesMax: 5 * 1_024 ** 3 };
  readonly #files: DurableDirectory;
  readonly #signer: ObjectSigner;
  readonly #space: FreeSpace;
  readonly #presence: DirectoryPresence;
  readonly #clock: () => number;
  readonly #onFailure: (error: Error) => void;
  #refusal: string | undefined;

  constructor(settings: BuiltInSettings) {
    const { directory, signingKey, baseUrl, clock = systemClock } = settings;
    this.#files = new DurableDirectory(directory);
    this.#signer = new ObjectSigner(signingKey, baseUrl, clock);
    this.#space = new FreeSpace(directory, settings.diskReserveBytes ?? 0);
    this.#presence = new DirectoryPresence(directory, settings.directoryId);
    this.#clock = clock;
    this.#onFailure = settings.onFailure ?? (() => undefined);
  }

  /** Makes every later call throw StoreError `not shared` with this sentence. */
  refuse(sentence: string): void {
    this.#refusal = sentence;
  }

  async startUpload(key: string): Promise<string> {
    const storeUpload = newId(this.#clock());
    await this.#change(key, () => this.#uploadOf({ key, storeUpload }).begin());
    return storeUpload;
  }

  async signParts(parts: readonly OpenPart[], lifetimeMs: number): Promise<Signed<SignedRequest>> {
    this.#requireShared();
    const expiresAtMs = this.#clock() + lifetimeMs;
    const addresses = parts.map((part) => {
      return { url: this.#signer.signPart(part, expiresAtMs), headers: {} };
    });
    return { addresses, expiresAtMs };
  }

  async signReads(objects: readonly ObjectToRead[], lifetimeMs: number): Promise<Signed<string>> {
    this.#requireShared();
    const expiresAtMs = this.#clock() + lifetimeMs;
    const addresses = objects.map((one) => this.#signer.signRead(one, expiresAtMs));
    return { addresses, expiresAtMs };
  }

  /** The part that an address allows to write now; undefined if altered, foreign or expired. */
  checkPartAddress(address: SignedPartAddress): PartToSign | undefined {
    return this.#signer.checkPart(address);
  }

  /** Whether an address allows to read its object now. */
  checkReadAddress(address: SignedObjectAddress): boolean {
    return this.#signer.checkRead(address);
  }

  /**
   * Stores a part; resolves with its ETag when it is on stable storage. A part that is sent again
   * is another file: completion says which one it means. Throws UploadMissing; errors of the body
   * pass through.
   */
  async writePart(part: PartToSign, body: BodyPieces): Promise<string> {
    return this.#change(part.key, async () => {
      using claim = await this.#space.claim(partFileBytes(part.sizeBytes));
      return await this.#uploadOf(part).write(part, countWritten(claim, body));
    });
  }

  async listParts(upload: StoreUpload): Promise<StoredPart[]> {
    return this.#change(upload.key, () => this.#uploadOf(upload).parts());
  }

  /** Null: no address is good for an object that is complete. */
  async complete(upload: StoreUpload, parts: readonly CompletedPart[]): Promise<null> {
    await this.#change(upload.key, () => this.#uploadOf(upload).complete(parts));
    return null;
  }

  async abort(upload: StoreUpload): Promise<void> {
    await this.#change(upload.key, async () => {
      await this.#uploadOf(upload).abort();
      await this.#removeEmptyParent(upload.key);
    });
  }

  async *listUploads(prefix: string): AsyncIterable<StoreUpload & { startedMs: number }> {
    yield* this.#whole(() => walkUploads(this.#files, prefix));
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const sizeBytes = parts.reduce((sum, part) => sum + part.length, 0);
    // Copies, because the writer overwrites its input.
    const copies = parts.filter(({ length }) => length > 0).map((part) => Buffer.from(part));
    const body = (async function* () {
      if (copies.length > 0) yield copies;
    })();
    await this.putWhole({ key, sizeBytes }, body);
  }

  /** Stores a whole object in one part, as its bytes arrive; errors of the body pass through. */
  async putWhole(object: { key: string; sizeBytes: number }, body: BodyPieces): Promise<void> {
    const { key, sizeBytes } = object;
    const upload = { key, storeUpload: newId(this.#clock()) };
    try {
      await this.#change(key, async () => {
        using claim = await this.#space.claim(partFileBytes(sizeBytes));
        await this.#uploadOf(upload).writeWhole(sizeBytes, countWritten(claim, body));
      });
    } catch (error) {
      if (!(error instanceof UploadMissing)) {
        await this.abort(upload).catch(() => undefined);
        throw error;
      }
      // Not the first of its key.
      await this.#files.removeDirectory(uploadDirectory(this.#files, upload));
      throw new ObjectExists(key);
    }
  }

  /** The object, to be read in pieces. Throws ObjectMissing. */
  async open(key: string): Promise<BuiltInObject> {
    return this.#look(key, () => BuiltInObject.open(this.#files, key));
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array> {
    const object = await this.open(key);
    return this.#look(key, async () =>
      Buffer.concat(await Array.fromAsync(object.read(offset, length))),
    );
  }

  async size(key: string): Promise<number> {
    return (await this.open(key)).sizeBytes;
  }

  async inspect(key: string): Promise<StoredObject> {
    return { sizeBytes: await this.size(key), storeVersion: null };
  }

  async delete(key: string): Promise<void> {
    await this.#change(key, async () => {
      const path = this.#files.path(`${key}${indexSuffix}`);
      const uploads = await this.#uploadsOfObject(key);
      // The index goes last: as long as it is there, an interrupted deletion can be repeated.
      for (const upload of uploads)
        await this.#files.removeDirectory(uploadDirectory(this.#files, upload));
      await this.#files.remove(path);
      await this.#removeEmptyParent(key);
    });
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    yield* this.#whole(() => walkObjects(this.#files, prefix));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** The upload that became the object; when its index cannot be read, all of this key. */
  async #uploadsOfObject(key: string): Promise<StoreUpload[]> {
    try {
      return [(await BuiltInObject.open(this.#files, key)).index];
    } catch (error) {
      if (error instanceof ObjectMissing) return [];
      if (!(error instanceof DamagedObject)) throw error;
    }
    const start = `${key.slice(key.lastIndexOf("/") + 1)}~`;
    const names = await this.#files.names(dirname(this.#files.path(key)));
    return names
      .filter((name) => name.startsWith(start) && !name.endsWith(indexSuffix))
      .map((name) => ({ key, storeUpload: name.slice(start.length) }));
  }

  /**
   * Removes an empty parent. The directory above it is synced, so that removed names cannot return
   * after a power loss.
   */
  async #removeEmptyParent(key: string): Promise<void> {
    const parent = dirname(this.#files.path(key));
    if (parent === this.#files.root) return;
    await this.#files.removeEmptyDirectory(parent);
    const isThere = await stat(parent).then(
      () => true,
      () => false,
    );
    await this.#files.sync(isThere ? parent : dirname(parent)).catch((error: unknown) => {
      if (!isMissingFile(error)) throw error;
    });
  }

  #uploadOf(upload: StoreUpload): BuiltInUpload {
    return new BuiltInUpload(this.#files, upload);
  }

  /** A list that ends because the directory went away must not be taken for a whole one. */
  async *#whole<T>(walk: () => AsyncIterable<T>): AsyncIterable<T> {
    this.#requireShared();
    await this.#presence.require();
    yield* walk();
    await this.#presence.require();
  }

  /** Runs a read: a bad sector is no reason to end the service. */
  async #look<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#requireShared();
    checkKey(key);
    try {
      return await work();
    } catch (error) {
      await this.#presence.explain(error);
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EIO") throw new DamagedObject(`${key} cannot be read: ${code}`);
      throw error;
    }
  }

  async #change<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#requireShared();
    checkKey(key);
    await this.#presence.require();
    try {
      const result = await work();
      // The directory went away during the work: what was removed was not there, what was made is
      // misplaced.
      await this.#presence.require();
      return result;
    } catch (caught) {
      await this.#presence.explain(caught);
      const error = toDatabaseError(caught, `The object ${key} cannot be stored`);
      if (error instanceof DatabaseError && error.kind === "failed") this.#onFailure(error);
      throw error;
    }
  }

  /** Throws StoreError `directory gone` when it is why something was not found. */
  async explainMissing(error: unknown): Promise<void> {
    await this.#presence.explain(error);
  }

  #requireShared(): void {
    if (this.#refusal !== undefined) throw new StoreError("not shared", false, this.#refusal);
  }
}

/** Keys are made by the service; one that leaves the directory is a mistake in it. */
function checkKey(key: string): void {
  const isSound = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/.test(key);
  if (!isSound) throw new Error(`BUG: got the object key ${JSON.stringify(key)}`);
}
