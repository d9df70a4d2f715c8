import { crc32 } from "node:zlib";
import { ProtocolError } from "../errors.ts";
import type { SignedPart, UploadFile } from "../wire.ts";
import { contentChunks, type PreparedFile } from "./content.ts";
import type { StoreConnections } from "./store-connections.ts";

/** One part of a file: `start` and `length` are bytes of the file. */
export interface Part {
  file: number;
  /** Number of the part in the file, from 0. */
  number: number;
  start: number;
  length: number;
}

export interface SentPart {
  /** Exactly as returned by the store; empty for stores that return none. */
  etag: string;
  crc32: number;
}

/**
 * Lists all parts, in the order of files: each of `partSize` bytes, a file's last one shorter or
 * empty.
 */
export function partsOf(files: readonly PreparedFile[], upload: readonly UploadFile[]): Part[] {
  if (upload.length !== files.length) {
    throw new ProtocolError(`the upload has ${upload.length} files instead of ${files.length}`);
  }
  const parts: Part[] = [];
  for (const [file, { name, size }] of files.entries()) {
    const { partSize, parts: signed, ...described } = upload[file];
    const count = Math.max(1, Math.ceil(size / partSize));
    const isSame = described.name === name && described.size === size && signed.length === count;
    if (!isSame || !(partSize > 0))
      throw new ProtocolError(`the upload does not belong to ${name}`);
    for (let number = 0; number < count; number++) {
      const start = number * partSize;
      parts.push({ file, number, start, length: Math.min(partSize, size - start) });
    }
  }
  return parts;
}

export interface PartRequest {
  file: PreparedFile;
  part: Part;
  address: SignedPart;
  signal: AbortSignal;
  onBytes: (count: number) => void;
}

/** Sends a part once. */
export async function sendPart(
  connections: StoreConnections,
  { file, part, address, signal, onBytes }: PartRequest,
): Promise<SentPart> {
  const { start, length } = part;
  let crc = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of contentChunks(file.content, start, length)) {
      crc = crc32(chunk, crc);
      yield chunk;
      onBytes(chunk.length);
    }
  }
  const { url, headers } = address;
  const request = { method: "PUT", url, headers, length, signal } as const;
  const reply = await connections.send(request, counted());
  // Read to its end; otherwise the connection cannot be reused.
  for await (const _ of reply.body);
  return { etag: reply.headers.etag ?? "", crc32: crc };
}
