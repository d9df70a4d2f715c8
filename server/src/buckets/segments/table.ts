import { crc32 } from "node:zlib";
import type { Database, Reader, Transaction } from "../../database/database.ts";
import { ObjectMissing, ObjectShort, type SegmentBucket, type ListedObject } from "../bucket.ts";
import { CopiedObjects } from "./copied-objects.ts";
import type { ObjectSeal } from "./local-copies.ts";

/** An object is stored in rows of this size, so that no statement or reply carries much more. */
const partBytes = 1024 * 1024;
const keysPerPage = 1_000;
const readsBeforeCopy = 16;
/** The same keys as on disk, so that an object can move from one bucket to another. */
const soundKey = /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/;

/** Objects as rows of the database: for several nodes that share nothing but PostgreSQL. */
export class TableBucket implements SegmentBucket {
  readonly #database: Database;
  readonly #copied: CopiedObjects;

  /** `cacheDirectory` holds copies of objects; threads may share it, and anyone may empty it. */
  constructor(database: Database, cacheDirectory: string) {
    this.#database = database;
    const source = {
      seal: (key: string) => this.#seal(key),
      readRange: (key: string, offset: number, length: number) =>
        database.read((reader) => readRange(reader, key, offset, length)),
      readWhole: (key: string, write: (bytes: Uint8Array) => Promise<void>) =>
        database.read((reader) => readWhole(reader, key, write)),
    };
    this.#copied = new CopiedObjects(source, cacheDirectory, readsBeforeCopy);
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    if (!soundKey.test(key)) throw new Error(`BUG: got the object key ${key}`);
    const sizeBytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const crc = parts.reduce((sum, part) => crc32(part, sum), 0);
    await this.#database.write(async (transaction) => {
      await transaction.run(
        "INSERT INTO object (key, size_bytes, crc, modified_ms) VALUES ($1, $2, $3, $4)",
        key,
        sizeBytes,
        crc,
        Date.now(),
      );
      let number = 0;
      for (const content of evenParts(parts)) await insertPart(transaction, key, number++, content);
    });
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
    await this.#database.write(async (transaction) => {
      await transaction.run("DELETE FROM object_part WHERE key = $1", key);
      await transaction.run("DELETE FROM object WHERE key = $1", key);
    });
    await this.#copied.remove(key);
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    // Keys are of characters below 0x7f, so everything with the prefix sorts below prefix + 0x7f.
    const end = `${prefix}\x7f`;
    for (let after = ""; ;) {
      const rows = await this.#database.read((reader) =>
        reader.all<ListedObject>(
          `SELECT key, size_bytes AS "sizeBytes", modified_ms AS "modifiedMs" FROM object
           WHERE key >= $1 AND key < $2 AND key > $3 ORDER BY key LIMIT $4`,
          prefix,
          end,
          after,
          keysPerPage,
        ),
      );
      for (const { key, sizeBytes, modifiedMs } of rows) {
        yield { key, sizeBytes, modifiedMs };
        after = key;
      }
      if (rows.length < keysPerPage) return;
    }
  }

  #seal(key: string): Promise<ObjectSeal> {
    return this.#database.read((reader) => sealOf(reader, key));
  }
}

async function insertPart(
  transaction: Transaction,
  key: string,
  number: number,
  content: Uint8Array,
): Promise<void> {
  await transaction.run(
    "INSERT INTO object_part (key, number, content) VALUES ($1, $2, $3)",
    key,
    number,
    content,
  );
}

/** The same bytes in parts of `partBytes`, the last one shorter. */
function* evenParts(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let room = partBytes;
  for (let part of parts) {
    while (part.byteLength >= room) {
      yield Buffer.concat([...waiting, part.subarray(0, room)]);
      part = part.subarray(room);
      waiting = [];
      room = partBytes;
    }
    waiting.push(part);
    room -= part.byteLength;
  }
  if (room < partBytes) yield Buffer.concat(waiting);
}

async function sealOf(reader: Reader, key: string): Promise<ObjectSeal> {
  const row = await reader.get<ObjectSeal>(
    'SELECT size_bytes AS "sizeBytes", crc FROM object WHERE key = $1',
    key,
  );
  if (row === undefined) throw new ObjectMissing(key);
  return row;
}

async function readWhole(
  reader: Reader,
  key: string,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const { sizeBytes } = await sealOf(reader, key);
  for (let offset = 0; offset < sizeBytes; offset += partBytes) {
    const length = Math.min(partBytes, sizeBytes - offset);
    await write(await readRange(reader, key, offset, length));
  }
}

async function readRange(
  reader: Reader,
  key: string,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const position = offset + filled;
    const inPart = position % partBytes;
    const wanted = Math.min(length - filled, partBytes - inPart);
    const row = await reader.get<{ content: Uint8Array }>(
      "SELECT substr(content, $3, $4) AS content FROM object_part WHERE key = $1 AND number = $2",
      key,
      Math.floor(position / partBytes),
      inPart + 1,
      wanted,
    );
    if (row === undefined || row.content.byteLength < wanted) break;
    bytes.set(row.content, filled);
    filled += wanted;
  }
  if (filled === length && length > 0) return bytes;
  const { sizeBytes } = await sealOf(reader, key);
  if (offset + length <= sizeBytes && length === 0) return bytes;
  throw new ObjectShort(key, offset, length);
}
