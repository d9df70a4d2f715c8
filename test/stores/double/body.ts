import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";

/** Immutable bytes that a client sent, in memory or, when there are many of them, in a file. */
export interface Body {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly md5: string;
  /** Absent for bodies in files: it is only kept where a signature or a test asked for it. */
  readonly sha256: string | undefined;
  readonly crc32: number;
  /** From `start` to before `end`. */
  read(start: number, end: number): AsyncIterable<Buffer>;
  /** Frees the file; the bytes cannot be read afterwards. */
  discard(): Promise<void>;
}

export interface BodyOptions {
  /** Directory for bodies of more than `spillBytes`; null keeps all of them in memory. */
  directory: string | null;
  spillBytes: number;
  /** Hashing costs more than the rest of an upload, so only where it is needed. */
  wantsSha256: boolean;
}

/** It reads a request to its end, and rejects if the client breaks off: no half body is stored. */
export async function receiveBody(source: Readable, options: BodyOptions): Promise<Body> {
  const md5 = createHash("md5");
  const sha256 = options.wantsSha256 ? createHash("sha256") : undefined;
  const sink = new Sink(options);
  let check = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      md5.update(chunk);
      sha256?.update(chunk);
      check = crc32(chunk, check);
      await sink.write(chunk);
    }
    return await sink.finish(md5, sha256, check);
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

class Sink {
  readonly #options: BodyOptions;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #file: { path: string; handle: Awaited<ReturnType<typeof open>> } | undefined;

  constructor(options: BodyOptions) {
    this.#options = options;
  }

  async write(chunk: Buffer): Promise<void> {
    const { directory, spillBytes } = this.#options;
    this.#sizeBytes += chunk.length;
    this.#chunks.push(chunk);
    if (directory === null || (this.#file === undefined && this.#sizeBytes <= spillBytes)) return;
    if (this.#file === undefined) {
      const path = join(directory, crypto.randomUUID());
      this.#file = { path, handle: await open(path, "wx") };
    }
    const waiting = this.#chunks;
    this.#chunks = [];
    await this.#file.handle.writev(waiting);
  }

  async finish(md5: Hash, sha256: Hash | undefined, check: number): Promise<Body> {
    const sums = {
      sizeBytes: this.#sizeBytes,
      md5: md5.digest("hex"),
      sha256: sha256?.digest("hex"),
      crc32: check,
    };
    if (this.#file === undefined) return memoryBody(Buffer.concat(this.#chunks), sums);
    await this.#file.handle.close();
    return fileBody(this.#file.path, sums);
  }

  async abandon(): Promise<void> {
    await this.#file?.handle.close();
    if (this.#file !== undefined) await unlink(this.#file.path);
  }
}

type Sums = Pick<Body, "sizeBytes" | "md5" | "sha256" | "crc32">;

function memoryBody(bytes: Buffer, sums: Sums): Body {
  return {
    ...sums,
    async *read(start, end) {
      if (end > start) yield bytes.subarray(start, end);
    },
    async discard() {},
  };
}

function fileBody(path: string, sums: Sums): Body {
  return {
    ...sums,
    async *read(start, end) {
      if (end <= start) return;
      yield* createReadStream(path, { start, end: end - 1 }) as AsyncIterable<Buffer>;
    },
    discard: () => unlink(path),
  };
}
