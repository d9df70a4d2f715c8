import { dirname, join } from "node:path";
import { ObjectMissing, ObjectShort } from "../bucket.ts";
import type { DurableDirectory } from "./directory.ts";
import { decodeIndex, type ObjectIndex } from "./index.ts";
import { DamagedObject, PartReader, blockBytes } from "./part.ts";
import { partFileName } from "./part-writer.ts";
import { isMissingFile } from "../disk-failure.ts";

/** Bytes per read; while they are sent, the next are read. */
const readBytes = 2 * blockBytes;

/** Throws ObjectMissing, or DamagedObject. */
export async function readIndex(
  files: DurableDirectory,
  path: string,
  key: string,
): Promise<ObjectIndex> {
  try {
    await using file = await files.openForReading(path);
    return decodeIndex(await file.readFile("utf8"), key);
  } catch (error) {
    if (isMissingFile(error)) throw new ObjectMissing(key);
    throw error;
  }
}

/** A completed object: its index, and the part files that the index names. */
export class BuiltInObject {
  readonly index: ObjectIndex;
  readonly #files: DurableDirectory;
  readonly #directory: string;

  constructor(files: DurableDirectory, index: ObjectIndex, directory: string) {
    this.#files = files;
    this.index = index;
    this.#directory = directory;
  }

  static async open(files: DurableDirectory, key: string): Promise<BuiltInObject> {
    const path = files.path(`${key}${indexSuffix}`);
    const index = await readIndex(files, path, key);
    return new BuiltInObject(files, index, uploadDirectory(files, index));
  }

  get sizeBytes(): number {
    return this.index.sizeBytes;
  }

  /** Strong ETag: an object never changes, and its id is not used again. */
  get etag(): string {
    return `"${this.index.storeUpload}"`;
  }

  /**
   * Reads checked bytes in pieces of at most half a megabyte, one read ahead. Throws ObjectShort,
   * DamagedObject: the bytes before are right, and the reader notices the early end.
   */
  async *read(offset: number, length: number): AsyncGenerator<Buffer> {
    if (offset + length > this.sizeBytes) {
      const { key } = this.index;
      throw new ObjectShort(key, offset, length);
    }
    await using parts = new OpenPart(this.#files, this.#directory);
    let ahead: Promise<Buffer> | undefined;
    try {
      for (const piece of this.#pieces(offset, length)) {
        const next = parts.read(piece);
        // The read may never be awaited.
        next.catch(() => undefined);
        const current = ahead;
        ahead = next;
        if (current !== undefined) yield await current;
      }
      if (ahead !== undefined) yield await ahead;
    } finally {
      await ahead?.catch(() => undefined);
    }
  }

  /** Reads and checks the whole object; returns a sentence for each fault. */
  async check(): Promise<string[]> {
    const problems: string[] = [];
    const { key, parts, sizeBytes } = this.index;
    const total = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
    if (total !== sizeBytes) problems.push(`${key} has ${total} bytes in parts of ${sizeBytes}`);
    await using open = new OpenPart(this.#files, this.#directory);
    for (const part of parts) {
      try {
        for (const piece of piecesOf(part, 0, part.sizeBytes)) await open.read(piece);
        if (part.sizeBytes === 0) await open.read({ part, offset: 0, length: 0 });
      } catch (error) {
        if (!isMissingFile(error) && !(error instanceof DamagedObject)) throw error;
        problems.push(error instanceof DamagedObject ? error.message : `${key}: a part is missing`);
      }
    }
    return problems;
  }

  *#pieces(offset: number, length: number): Iterable<Piece> {
    let start = 0;
    for (const part of this.index.parts) {
      const from = Math.max(offset, start);
      const to = Math.min(offset + length, start + part.sizeBytes);
      if (from < to) yield* piecesOf(part, from - start, to - start);
      start += part.sizeBytes;
    }
  }
}

export const indexSuffix = "~index";
/** File in the directory of an upload that ended: its index, or empty when it was aborted. */
export const endFileName = "end";

/** Returns the directory of an upload's parts. */
export function uploadDirectory(
  files: DurableDirectory,
  { key, storeUpload }: { key: string; storeUpload: string },
): string {
  return files.path(`${key}~${storeUpload}`);
}

type IndexedPart = ObjectIndex["parts"][number];

interface Piece {
  part: IndexedPart;
  offset: number;
  length: number;
}

/** Pieces end where blocks end, so that no block is read twice. */
function* piecesOf(part: IndexedPart, from: number, to: number): Iterable<Piece> {
  for (let at = from; at < to;) {
    const end = Math.min(to, (Math.floor(at / readBytes) + 1) * readBytes);
    yield { part, offset: at, length: end - at };
    at = end;
  }
}

/** The part file that is being read. Reads run one after the other, in the order of the calls. */
class OpenPart implements AsyncDisposable {
  readonly #files: DurableDirectory;
  readonly #directory: string;
  #last: Promise<unknown> = Promise.resolve();
  #open: { part: IndexedPart; reader: PartReader; close: () => Promise<void> } | undefined;

  constructor(files: DurableDirectory, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  read(piece: Piece): Promise<Buffer> {
    const done = this.#last.then(() => this.#readNow(piece));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    await this.#open?.close();
  }

  async #readNow({ part, offset, length }: Piece): Promise<Buffer> {
    if (this.#open?.part !== part) {
      await this.#open?.close();
      this.#open = undefined;
      this.#open = await this.#openPart(part);
    }
    return this.#open.reader.read(offset, length);
  }

  async #openPart(part: IndexedPart) {
    const path = join(this.#directory, partFileName(part));
    const file = await this.#files.openForReading(path);
    try {
      const shownPath = path.slice(dirname(this.#files.root).length + 1);
      const reader = await PartReader.open(file, shownPath, part);
      return { part, reader, close: () => file.close() };
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
