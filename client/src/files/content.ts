import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import type { BigIntStats } from "node:fs";
import { crc32 } from "node:zlib";
import { FileChangedError } from "../errors.ts";

/** State of a file when it was read; a difference means that it was written to since. */
export interface FileState {
  size: number;
  /** Nanoseconds since 1970, as text: more digits than a number holds. */
  modified: string;
}

export type Content =
  | { readonly kind: "path"; readonly path: string; readonly state: FileState }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

/** A file to push, already read once. */
export interface PreparedFile {
  readonly name: string;
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** CRC of the whole file; the bytes sent later must have the same. */
  readonly crc32: number;
  readonly content: Content;
}

const chunkBytes = 512 * 1_024;

export async function fileState(path: string): Promise<FileState> {
  return stateOf(await stat(path, { bigint: true }));
}

function stateOf(stats: BigIntStats): FileState {
  return { size: Number(stats.size), modified: String(stats.mtimeNs) };
}

/**
 * Yields the bytes from `start`, in chunks. Throws FileChangedError when the file has changed since
 * it was read: by its size and modification time before and after, and by its end. Changes that
 * these miss (a time set back, writes through a mapping) show in the CRC of the whole file at the
 * end.
 */
export async function* contentChunks(
  content: Content,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (length === 0) return;
  if (content.kind === "bytes") {
    yield content.bytes.subarray(start, start + length);
    return;
  }
  const { path, state } = content;
  await using handle = await open(path, "r");
  assertSame(path, state, stateOf(await handle.stat({ bigint: true })));
  let given = 0;
  for await (const chunk of chunksOf(handle, start, length)) {
    given += chunk.length;
    yield chunk;
  }
  assertSame(path, state, stateOf(await handle.stat({ bigint: true })));
  if (given !== length) throw new FileChangedError(`${path} became shorter while it was read`);
}

/**
 * Yields fewer bytes than requested when the file ends. Small files are read without a stream,
 * which would cost as much as many of them.
 */
async function* chunksOf(
  handle: FileHandle,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (length <= chunkBytes) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
    if (bytesRead === length) return yield buffer;
  }
  const options = { start, end: start + length - 1, highWaterMark: chunkBytes, autoClose: false };
  for await (const chunk of handle.createReadStream(options)) yield chunk as Uint8Array;
}

/** Reads a file once for its SHA-256 and CRC. */
export async function prepareFile(
  name: string,
  path: string,
  onBytes: (count: number) => void = () => {},
  signal?: AbortSignal,
): Promise<PreparedFile> {
  const state = await fileState(path);
  const content: Content = { kind: "path", path, state };
  const hash = createHash("sha256");
  let crc = 0;
  for await (const chunk of contentChunks(content, 0, state.size)) {
    signal?.throwIfAborted();
    hash.update(chunk);
    crc = crc32(chunk, crc);
    onBytes(chunk.length);
  }
  return { name, size: state.size, sha256: hash.digest("hex"), crc32: crc, content };
}

/** Wraps a file that exists in memory only. */
export function preparedBytes(name: string, bytes: Uint8Array): PreparedFile {
  return {
    name,
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    crc32: crc32(bytes),
    content: { kind: "bytes", bytes },
  };
}

function assertSame(path: string, before: FileState, now: FileState): void {
  if (before.size === now.size && before.modified === now.modified) return;
  throw new FileChangedError(`${path} changed while it was pushed; push it again`);
}
