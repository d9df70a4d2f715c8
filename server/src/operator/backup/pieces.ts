import { type Bucket, ObjectMissing } from "../../buckets/bucket.ts";
import { BackupDamaged } from "./backup-damaged.ts";
import type { Envelope } from "./envelope.ts";

/** Maximum of a piece, into which the contents of files are cut. */
export const pieceBytesMax = 8 * 1024 * 1024;
const prefix = "pieces/";

/**
 * The pieces of files in a backup. Each is stored once, under a name that follows from its content,
 * and never changes: generations share equal pieces.
 */
export class Pieces {
  readonly #bucket: Bucket;
  readonly #envelope: Envelope;
  /** Bytes of each existing piece, with its envelope. */
  readonly #present = new Map<string, number>();
  readonly #added = new Map<string, number>();
  #addedBytes = 0;

  constructor(bucket: Bucket, envelope: Envelope) {
    this.#bucket = bucket;
    this.#envelope = envelope;
  }

  /** Pieces stored by this object, and their bytes with envelopes. */
  get added(): { pieces: number; bytes: number } {
    return { pieces: this.#added.size, bytes: this.#addedBytes };
  }

  /** Lists the existing pieces; once, before the first `add` or `has`. */
  async look(): Promise<void> {
    for await (const { key, sizeBytes } of this.#bucket.list(prefix)) {
      const name = nameOf(key);
      if (name !== undefined) this.#present.set(name, sizeBytes);
    }
  }

  has(name: string): boolean {
    return this.#present.has(name);
  }

  /** Stores a piece unless it exists, and returns its name. */
  async add(content: Uint8Array): Promise<string> {
    const name = this.#envelope.nameOf(content);
    const object = this.#envelope.close(name, content);
    const bytes = object.reduce((sum, part) => sum + part.length, 0);
    const present = this.#present.get(name);
    if (present === bytes) return name;
    // A piece of another length is damaged: it is not used any more.
    if (present !== undefined) await this.#bucket.delete(keyOf(name));
    this.#present.set(name, bytes);
    this.#added.set(name, bytes);
    this.#addedBytes += bytes;
    await this.#bucket.put(keyOf(name), object);
    return name;
  }

  /** Throws BackupDamaged. */
  async read(name: string): Promise<Uint8Array> {
    const key = keyOf(name);
    try {
      const bytes = await this.#bucket.size(key);
      return this.#envelope.open(name, await this.#bucket.read(key, 0, bytes));
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      throw new BackupDamaged(`The piece ${name} of the backup is missing.`, name);
    }
  }

  /** Removes a damaged piece, so that the next `add` of its content stores it again. */
  async discard(name: string): Promise<void> {
    await this.#bucket.delete(keyOf(name));
    this.#present.delete(name);
  }

  /** Reads the pieces stored by this object again. Throws BackupDamaged. */
  async checkAdded(): Promise<void> {
    for (const name of this.#added.keys()) await this.read(name);
  }

  /**
   * Removes pieces that are not in `kept` and have at least this age; returns their number and
   * bytes.
   */
  async removeOthers(
    kept: ReadonlySet<string>,
    ageMs: number,
  ): Promise<{ pieces: number; bytes: number }> {
    const removed = { pieces: 0, bytes: 0 };
    const nowMs = Date.now();
    for await (const { key, sizeBytes, modifiedMs } of this.#bucket.list(prefix)) {
      const name = nameOf(key);
      if (name === undefined || kept.has(name) || nowMs - modifiedMs < ageMs) continue;
      await this.#bucket.delete(key);
      removed.pieces++;
      removed.bytes += sizeBytes;
    }
    return removed;
  }
}

/** Yields the pieces of a file, in order. */
export function* piecesOf(
  sizeBytes: number,
  pieceBytes: number,
): Generator<{ offset: number; length: number }> {
  for (let offset = 0; offset < sizeBytes; offset += pieceBytes) {
    yield { offset, length: Math.min(pieceBytes, sizeBytes - offset) };
  }
}

function keyOf(name: string): string {
  return `${prefix}${name.slice(0, 2)}/${name}`;
}

/** Returns the name in a key; undefined when it is no piece. */
function nameOf(key: string): string | undefined {
  return /^pieces\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(key)?.[1];
}
