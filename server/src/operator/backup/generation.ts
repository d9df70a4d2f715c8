import { randomBytes } from "node:crypto";
import { type Bucket, ObjectMissing } from "../../buckets/bucket.ts";
import { ConfigError } from "../../settings/options.ts";
import { BackupDamaged } from "./backup-damaged.ts";
import type { Envelope } from "./envelope.ts";
import { pieceBytesMax, piecesOf, type Pieces } from "./pieces.ts";

/** One backup: an installation as of one moment. */
export interface Generation {
  format: 1;
  /** The moment as people write it, and four random digits. Sorts by time. */
  id: string;
  /** The moment that the backup shows, unix milliseconds. */
  takenAtMs: number;
  finishedAtMs: number;
  /** The version of Lossless that made it, and the format of its database. */
  version: string;
  databaseFormat: number;
  /** The format that a program has to know to work on it; the same one if it is missing. */
  leastFormat?: number;
  /** Ids of the master keys under which secrets in it are sealed. */
  masterKeyIds: string[];
  holdsMasterKey: boolean;
  experiments: number;
  points: number;
  /**
   * Committed versions whose files are in the backup, and those whose files are in other buckets.
   */
  versions: number;
  versionsElsewhere: number;
  files: number;
  bytes: number;
  /** Pieces and bytes, with envelopes, that this generation added to the place. */
  added: { pieces: number; bytes: number };
  /** The list of files, a line of JSON each, in pieces. */
  list: string[];
}

/** A file of the data directory. */
export interface BackupFile {
  /** Path relative to the directory; no segment consists of dots alone. */
  path: string;
  bytes: number;
  pieces: string[];
}

const prefix = "generations/";
const idForm = /^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)(\d{3})z-[0-9a-f]{4}$/;

/** `20261123t184500123z-03fa`: with milliseconds, since two of a second have an order, too. */
export function newGenerationId(takenAtMs: number): string {
  const time = new Date(takenAtMs).toISOString().toLowerCase();
  return `${time.replaceAll(/[-:.]/g, "")}-${randomBytes(2).toString("hex")}`;
}

/** Returns when the generation was taken, in unix milliseconds. */
export function takenAtMsOf(id: string): number {
  return Date.parse(id.replace(idForm, "$1-$2-$3T$4:$5:$6.$7Z"));
}

/** Lists ids, oldest first. Only finished generations have one. */
export async function generationIds(bucket: Bucket): Promise<string[]> {
  const ids: string[] = [];
  for await (const { key } of bucket.list(prefix)) {
    const id = key.slice(prefix.length);
    if (idForm.test(id)) ids.push(id);
  }
  return ids.sort();
}

/** Publishes the generation: its record is stored last, whole or not at all. */
export async function publishGeneration(
  bucket: Bucket,
  envelope: Envelope,
  generation: Generation,
): Promise<void> {
  const key = prefix + generation.id;
  await bucket.put(key, envelope.close(key, Buffer.from(JSON.stringify(generation))));
}

/** Throws BackupDamaged, ConfigError for one that is not there. */
export async function readGeneration(
  bucket: Bucket,
  envelope: Envelope,
  id: string,
): Promise<Generation> {
  const key = prefix + id;
  let object: Uint8Array;
  try {
    object = await bucket.read(key, 0, await bucket.size(key));
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    throw new ConfigError(`There is no backup ${id}; lossless backup list shows all backups.`);
  }
  const generation = JSON.parse(textOf(opened(envelope, key, object))) as Generation;
  if (generation.format === 1) return generation;
  throw new ConfigError(
    `The backup ${id} has format ${String(generation.format)}: a newer version of Lossless made it, which can restore it.`,
  );
}

/** A record is no piece. */
function opened(envelope: Envelope, key: string, object: Uint8Array): Uint8Array {
  try {
    return envelope.open(key, object);
  } catch (error) {
    throw error instanceof BackupDamaged ? new BackupDamaged(error.message) : error;
  }
}

export async function removeGeneration(bucket: Bucket, id: string): Promise<void> {
  await bucket.delete(prefix + id);
}

/** Stores the list of files and returns its pieces. */
export async function storeList(pieces: Pieces, files: Iterable<BackupFile>): Promise<string[]> {
  const list: string[] = [];
  let lines: string[] = [];
  let characters = 0;
  const store = async (): Promise<void> => {
    list.push(await pieces.add(Buffer.from(lines.join(""))));
    lines = [];
    characters = 0;
  };
  for (const file of files) {
    const line = `${JSON.stringify(file)}\n`;
    lines.push(line);
    characters += line.length;
    if (characters >= listPieceCharacters) await store();
  }
  if (lines.length > 0) await store();
  return list;
}

/** Lines end where pieces end. Throws BackupDamaged. */
export async function* filesOf({ list }: Generation, pieces: Pieces): AsyncGenerator<BackupFile> {
  for (const name of list) {
    for (const line of textOf(await pieces.read(name)).split("\n")) {
      if (line !== "") yield checked(JSON.parse(line) as BackupFile);
    }
  }
}

/** Bytes of a file, in order. Throws BackupDamaged. */
export async function* contentOf(
  { path, bytes, pieces: names }: BackupFile,
  pieces: Pieces,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for (const name of names) {
    const content = await pieces.read(name);
    read += content.length;
    yield content;
  }
  if (read !== bytes) {
    throw new BackupDamaged(`The file ${path} of the backup has ${read} bytes, not ${bytes}.`);
  }
}

/** Stores a file of this size and returns its entry of the list. */
export async function storeFile(
  pieces: Pieces,
  { path, bytes }: { path: string; bytes: number },
  read: (offset: number, length: number) => Promise<Uint8Array>,
  pieceBytes = pieceBytesMax,
): Promise<BackupFile> {
  const names: string[] = [];
  for (const { offset, length } of piecesOf(bytes, pieceBytes)) {
    names.push(await pieces.add(await read(offset, length)));
  }
  return { path, bytes, pieces: names };
}

/** A list that is cut often has more in common with the next one. */
const listPieceCharacters = 256 * 1024;

/** Checks a path: a list written by another party must not lead out of the restored directory. */
function checked(file: BackupFile): BackupFile {
  const isInside = /^[\w~.-]+(\/[\w~.-]+)*$/.test(file.path) && !/(^|\/)\.+(\/|$)/.test(file.path);
  if (!isInside) throw new BackupDamaged(`The backup has a file ${JSON.stringify(file.path)}.`);
  return file;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
