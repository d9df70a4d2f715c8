import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeDurably } from "../../ground/durable-file.ts";
import {
  type CompletedPart,
  PartsRejected,
  type StoredPart,
  type StoreUpload,
  UploadMissing,
} from "../bucket.ts";
import type { DurableDirectory } from "./directory.ts";
import { decodeIndex, encodeIndex, type ObjectIndex } from "./index.ts";
import { endFileName, indexSuffix, uploadDirectory } from "./object.ts";
import { partFileBytes } from "./part.ts";
import {
  type BodyPieces,
  parsePartFileName,
  partFileName,
  unfinishedFileName,
  writePartFile,
} from "./part-writer.ts";
import { isMissingFile } from "../disk-failure.ts";
import { unquotedEtag } from "../../ground/etag.ts";

/** Number of files inspected at once. */
const statsAtOnce = 32;

/**
 * The directory of one upload. It ends once: `complete` and `abort`, in any process, first make the
 * file `end` by link, and the second one finds it.
 */
export class BuiltInUpload {
  readonly directory: string;
  readonly #files: DurableDirectory;
  readonly #upload: StoreUpload;

  constructor(files: DurableDirectory, upload: StoreUpload) {
    this.#files = files;
    this.#upload = upload;
    this.directory = uploadDirectory(files, upload);
  }

  async begin(): Promise<void> {
    await this.#files.makeDirectory(this.directory);
  }

  /** Resolves with the part's ETag when it is on stable storage. Throws UploadMissing. */
  async write(part: { number: number; sizeBytes: number }, body: BodyPieces): Promise<string> {
    return this.#whileItLasts(async () => {
      await this.#files.refuseLinks(this.directory);
      const etag = await writePartFile(this.directory, part, body);
      await this.#files.sync(this.directory);
      // A process that ended the upload meanwhile may not have seen this file.
      if ((await this.#howItEnded()) === undefined) return etag;
      await this.#files.remove(this.#path(partFileName({ ...part, etag })));
      throw new UploadMissing(this.#upload);
    });
  }

  /**
   * Writes the whole object in one part. As no other process knows of this upload, nothing of it
   * has to be made durable step by step, but the files in the index must be before it becomes
   * visible. Throws UploadMissing when the key has an object already.
   */
  async writeWhole(sizeBytes: number, body: BodyPieces): Promise<void> {
    const unfinished = this.#path(unfinishedFileName());
    await this.#files.makeUnsynced(this.directory);
    await this.#whileItLasts(async () => {
      await this.#files.refuseLinks(this.directory);
      let parts: ObjectIndex["parts"] = [];
      await writePartFile(this.directory, { number: 1, sizeBytes }, body, (etag) => {
        parts = [{ number: 1, etag, sizeBytes }];
        const index = encodeIndex({ ...this.#upload, sizeBytes, parts });
        return writeDurably(unfinished, (file) => file.writeFile(index));
      });
      const isOurs = await this.#files.linkOnce(unfinished, this.#path(endFileName));
      if (!isOurs) throw new UploadMissing(this.#upload);
      await Promise.all([
        this.#files.remove(unfinished),
        this.#files.sync(this.directory),
        this.#files.syncWay(this.directory),
      ]);
      await this.#publish(parts);
    });
  }

  /** Lists parts by number; of a part that was sent again, the last one. Throws UploadMissing. */
  async parts(): Promise<StoredPart[]> {
    return this.#whileItLasts(async () => {
      const newest = new Map<number, { part: StoredPart; writtenMs: number }>();
      for (const name of await this.#names()) {
        const part = parsePartFileName(name);
        if (part === undefined) continue;
        const { mtimeMs: writtenMs } = await stat(this.#path(name));
        const other = newest.get(part.number);
        if (other === undefined || other.writtenMs <= writtenMs) {
          newest.set(part.number, { part, writtenMs });
        }
      }
      return [...newest.values()]
        .map(({ part }) => part)
        .sort((one, other) => one.number - other.number);
    });
  }

  /** Makes the object of these parts. Throws UploadMissing, PartsRejected. */
  async complete(parts: readonly CompletedPart[]): Promise<void> {
    await this.#whileItLasts(async () => {
      const chosen = await this.#choose(parts);
      const sizeBytes = chosen.reduce((sum, part) => sum + part.sizeBytes, 0);
      const index: ObjectIndex = { ...this.#upload, sizeBytes, parts: chosen };
      if (!(await this.#end(encodeIndex(index)))) {
        await this.#publishIfCompleted();
        throw new UploadMissing(this.#upload);
      }
      await this.#publish(chosen);
    });
  }

  /** Removes everything unless it was completed before. */
  async abort(): Promise<void> {
    try {
      await stat(this.directory);
      await this.#end(Buffer.alloc(0));
      if (await this.#publishIfCompleted()) return;
    } catch (error) {
      if (!isMissingFile(error)) throw error;
    }
    await this.#files.removeDirectory(this.directory);
  }

  /** Runs work that finds its directory gone when the upload is. */
  async #whileItLasts<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isMissingFile(error)) throw new UploadMissing(this.#upload);
      throw error;
    }
  }

  /** Names in the directory of an upload that has not ended; throws UploadMissing. */
  async #names(): Promise<string[]> {
    const names = await this.#files.names(this.directory);
    if (names.length === 0) await stat(this.directory);
    if (!names.includes(endFileName)) return names;
    await this.#publishIfCompleted();
    throw new UploadMissing(this.#upload);
  }

  async #choose(parts: readonly CompletedPart[]): Promise<ObjectIndex["parts"]> {
    const names = await this.#names();
    const stored = new Map(
      names.map(parsePartFileName).map((part) => [`${part?.number} ${part?.etag}`, part]),
    );
    const inOrder = parts.toSorted((one, other) => one.number - other.number);
    const chosen = inOrder.map(({ number, etag }, index) => {
      const found = stored.get(`${number} ${unquotedEtag(etag)}`);
      if (found === undefined)
        throw new PartsRejected(`Part ${number} was not sent, or was sent with another ETag.`);
      const isTwice = inOrder[index - 1]?.number === number;
      if (isTwice) throw new PartsRejected(`Part ${number} is listed twice.`);
      return found;
    });
    if (chosen.length === 0) throw new PartsRejected("There are no parts.");
    for (let at = 0; at < chosen.length; at += statsAtOnce) {
      await Promise.all(chosen.slice(at, at + statsAtOnce).map((part) => this.#checkLength(part)));
    }
    return chosen.map(({ number, etag, sizeBytes }) => ({ number, etag, sizeBytes }));
  }

  async #checkLength(part: ObjectIndex["parts"][number]): Promise<void> {
    const { size } = await stat(this.#path(partFileName(part)));
    if (size === partFileBytes(part.sizeBytes)) return;
    throw new PartsRejected(`Part ${part.number} is not stored completely.`);
  }

  /** Makes the file that says how the upload ended; false when it had ended already. */
  async #end(content: Buffer): Promise<boolean> {
    const unfinished = this.#path(unfinishedFileName());
    try {
      await writeDurably(unfinished, (file) => file.writeFile(content));
      return await this.#files.linkOnce(unfinished, this.#path(endFileName));
    } finally {
      await this.#files.remove(unfinished);
    }
  }

  async #howItEnded(): Promise<"aborted" | "completed" | undefined> {
    try {
      const { size } = await stat(this.#path(endFileName));
      return size === 0 ? "aborted" : "completed";
    } catch (error) {
      if (!isMissingFile(error)) throw error;
      // The directory itself is gone after an abort.
      await stat(this.directory);
      return undefined;
    }
  }

  /** A completion that died before the object could be seen is brought to its end. */
  async #publishIfCompleted(): Promise<boolean> {
    if ((await this.#howItEnded()) !== "completed") return false;
    await using file = await this.#files.openForReading(this.#path(endFileName));
    const { parts } = decodeIndex(await file.readFile("utf8"), this.#upload.key);
    await this.#publish(parts);
    return true;
  }

  /** Gives the index the name of the object, and removes part files that it does not name. */
  async #publish(parts: ObjectIndex["parts"]): Promise<void> {
    const path = this.#files.path(`${this.#upload.key}${indexSuffix}`);
    if (!(await this.#files.linkOnce(this.#path(endFileName), path))) {
      await using file = await this.#files.openForReading(path);
      const { storeUpload } = decodeIndex(await file.readFile("utf8"), this.#upload.key);
      if (storeUpload !== this.#upload.storeUpload) throw new UploadMissing(this.#upload);
    }
    await this.#files.sync(dirname(path));
    const kept = new Set([endFileName, ...parts.map(partFileName)]);
    for (const name of await this.#files.names(this.directory)) {
      if (!kept.has(name)) await this.#files.remove(this.#path(name));
    }
  }

  #path(name: string): string {
    return join(this.directory, name);
  }
}
