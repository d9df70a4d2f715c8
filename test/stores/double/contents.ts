import { createHash, randomBytes } from "node:crypto";
import type { Body } from "./body.ts";
import { S3Error } from "./s3-error.ts";

/** One stored object; a multipart one is the parts it was completed from, never copied together. */
export class StoredObject {
  readonly key: string;
  readonly parts: readonly Body[];
  /** Without quotes: MD5 of the bytes, or of the parts' MD5s with their number. */
  readonly etag: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Content-Type and x-amz-meta-*, as headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    key: string,
    parts: readonly Body[],
    etag: string,
    modifiedMs: number,
    headers: Readonly<Record<string, string>>,
  ) {
    this.key = key;
    this.parts = parts;
    this.etag = etag;
    this.modifiedMs = modifiedMs;
    this.headers = headers;
    this.sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  }

  async *read(start = 0, end = this.sizeBytes): AsyncGenerator<Buffer> {
    let offset = 0;
    for (const part of this.parts) {
      const from = Math.max(0, start - offset);
      const to = Math.min(part.sizeBytes, end - offset);
      if (to > from) yield* part.read(from, to);
      offset += part.sizeBytes;
    }
  }

  async bytes(): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.read()));
  }

  async sha256(): Promise<string> {
    const hash = createHash("sha256");
    for await (const chunk of this.read()) hash.update(chunk);
    return hash.digest("hex");
  }
}

export interface StoredPart {
  body: Body;
  modifiedMs: number;
}

export interface OpenUpload {
  uploadId: string;
  key: string;
  initiatedMs: number;
  headers: Readonly<Record<string, string>>;
  parts: Map<number, StoredPart>;
}

export type ConfigurationName = "lifecycle" | "cors" | "publicAccessBlock";

export interface CompletedUpload {
  key: string;
  etag: string;
}

export class StoredBucket {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, OpenUpload>();
  /** Answers to a second Complete; an aborted upload has none. */
  readonly completed = new Map<string, CompletedUpload>();
  /** Documents that were put, as they came. */
  readonly configurations = new Map<ConfigurationName, string>();
  /** Account that it belongs to; undefined for the double's own user. */
  readonly owner: string | undefined;

  constructor(owner?: string) {
    this.owner = owner;
  }

  async store(object: StoredObject): Promise<void> {
    const replaced = this.objects.get(object.key);
    this.objects.set(object.key, object);
    await discard(replaced);
  }

  async remove(key: string): Promise<void> {
    const object = this.objects.get(key);
    this.objects.delete(key);
    await discard(object);
  }

  /** An id with characters that have to be escaped in a URL: who forgets that shall notice here. */
  openUpload(key: string, initiatedMs: number, headers: Record<string, string>): OpenUpload {
    const uploadId = `2~${randomBytes(16).toString("base64")}`;
    const upload = { uploadId, key, initiatedMs, headers, parts: new Map() };
    this.uploads.set(uploadId, upload);
    return upload;
  }

  upload(uploadId: string, key: string): OpenUpload {
    const upload = this.uploads.get(uploadId);
    if (upload?.key !== key) throw new S3Error("NoSuchUpload");
    return upload;
  }
}

async function discard(object: StoredObject | undefined): Promise<void> {
  for (const part of object?.parts ?? []) await part.discard();
}

/** The order of every listing: by UTF-8 bytes, which is not that of JavaScript's strings. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
