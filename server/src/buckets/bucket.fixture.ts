import { createHash, randomUUID } from "node:crypto";
import {
  type ArtifactBucket,
  type CompletedPart,
  ObjectExists,
  ObjectMissing,
  ObjectShort,
  type ObjectToRead,
  type PartLimits,
  PartsRejected,
  type OpenPart,
  type Signed,
  type SignedRequest,
  type StoredObject,
  type StoredPart,
  StoreError,
  type StoreUpload,
  UploadMissing,
  type ListedObject,
} from "./bucket.ts";

export type BucketCall =
  | "put"
  | "size"
  | "delete"
  | "startUpload"
  | "signParts"
  | "signReads"
  | "listParts"
  | "complete"
  | "abort";

/**
 * A bucket in memory, for tests of code that uses buckets. It is as strict as the stores: an upload
 * ends once, parts have the signed length, nothing is visible before complete. `before` and `after`
 * run around every call and may throw: an error of `after` is a lost reply.
 */
export class TestBucket implements ArtifactBucket {
  readonly readableKeys: boolean = true;
  limits: PartLimits = {
    partsMax: 10_000,
    partBytesMin: 5 * 1_048_576,
    partBytesMax: 5 * 1_024 ** 3,
  };
  before: (call: BucketCall, key: string) => void | Promise<void> = () => {};
  after: (call: BucketCall, key: string) => void | Promise<void> = () => {};
  /** Makes this call fail with StoreError `SlowDown`, before it has any effect. */
  failing: BucketCall | undefined;
  readonly calls: { call: BucketCall; key: string }[] = [];
  readonly objects = new Map<string, Uint8Array>();
  readonly uploads = new Map<string, { key: string; parts: Map<number, Uint8Array> }>();
  /** As a store names the states of an object, where it keeps several. */
  storeVersionOf: (key: string) => string | null = () => null;
  /** Addresses end then. */
  expiresAtMs = 2_000_000_000_000;

  put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#call("put", key, () => {
      if (this.objects.has(key)) throw new ObjectExists(key);
      this.objects.set(key, Buffer.concat(parts));
    });
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array> {
    const bytes = this.#object(key);
    if (bytes.length < offset + length) throw new ObjectShort(key, offset, length);
    return bytes.subarray(offset, offset + length);
  }

  size(key: string): Promise<number> {
    return this.#call("size", key, () => this.#object(key).length);
  }

  async inspect(key: string): Promise<StoredObject> {
    return { sizeBytes: await this.size(key), storeVersion: this.storeVersionOf(key) };
  }

  delete(key: string): Promise<void> {
    return this.#call("delete", key, () => void this.objects.delete(key));
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    for (const [key, { length }] of this.objects) {
      if (key.startsWith(prefix)) yield { key, sizeBytes: length, modifiedMs: 0 };
    }
  }

  startUpload(key: string): Promise<string> {
    return this.#call("startUpload", key, () => {
      const id = randomUUID();
      this.uploads.set(id, { key, parts: new Map() });
      return id;
    });
  }

  signParts(parts: readonly OpenPart[]): Promise<Signed<SignedRequest>> {
    return this.#call("signParts", parts[0].key, () => ({
      expiresAtMs: this.expiresAtMs,
      addresses: parts.map(({ storeUpload, number, sizeBytes }) => ({
        url: `test:${storeUpload}/${number}/${sizeBytes}`,
        headers: { "x-test": "1" },
      })),
    }));
  }

  signReads(objects: readonly ObjectToRead[]): Promise<Signed<string>> {
    return this.#call("signReads", objects[0].key, () => ({
      expiresAtMs: this.expiresAtMs,
      addresses: objects.map(({ key, storeVersion }) => `test:${key}${at(storeVersion)}`),
    }));
  }

  listParts(upload: StoreUpload): Promise<StoredPart[]> {
    return this.#call("listParts", upload.key, () =>
      [...this.#upload(upload).parts].map(([number, bytes]) => ({
        number,
        sizeBytes: bytes.length,
        etag: etagOf(bytes),
      })),
    );
  }

  complete(upload: StoreUpload, parts: readonly CompletedPart[]): Promise<string | null> {
    return this.#call("complete", upload.key, () => {
      const stored = this.#upload(upload).parts;
      const bytes = parts.map(({ number, etag }, at) => {
        const part = stored.get(number);
        const isRight = part !== undefined && number === at + 1 && etagOf(part) === unquoted(etag);
        if (!isRight) throw new PartsRejected(`part ${number}`);
        return part;
      });
      if (this.objects.has(upload.key)) throw new Error("BUG: two uploads share a key");
      this.objects.set(upload.key, Buffer.concat(bytes));
      this.uploads.delete(upload.storeUpload);
      return this.storeVersionOf(upload.key);
    });
  }

  abort({ key, storeUpload }: StoreUpload): Promise<void> {
    return this.#call("abort", key, () => void this.uploads.delete(storeUpload));
  }

  async *listUploads(prefix: string): AsyncIterable<StoreUpload & { startedMs: number }> {
    for (const [storeUpload, { key }] of this.uploads) {
      if (key.startsWith(prefix)) yield { key, storeUpload, startedMs: 0 };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Sends a part as a client does: returns the ETag in quotes, or undefined for a 403. */
  send(url: string, bytes: Uint8Array): string | undefined {
    const [id, number, length] = url.slice("test:".length).split("/");
    const upload = this.uploads.get(id);
    if (upload === undefined || (length !== "undefined" && bytes.length !== Number(length)))
      return undefined;
    upload.parts.set(Number(number), Uint8Array.from(bytes));
    return `"${etagOf(bytes)}"`;
  }

  /** Puts bytes into a part as no signed address allows. */
  force(url: string, bytes: Uint8Array): void {
    const [id, number] = url.slice("test:".length).split("/");
    this.uploads.get(id)?.parts.set(Number(number), bytes);
  }

  async #call<Result>(call: BucketCall, key: string, work: () => Result): Promise<Result> {
    this.calls.push({ call, key });
    if (call === this.failing) throw new StoreError("SlowDown", true, `${call} failed`);
    await this.before(call, key);
    const result = work();
    await this.after(call, key);
    return result;
  }

  #object(key: string): Uint8Array {
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw new ObjectMissing(key);
    return bytes;
  }

  #upload({ key, storeUpload }: StoreUpload): { parts: Map<number, Uint8Array> } {
    const upload = this.uploads.get(storeUpload);
    if (upload?.key !== key) throw new UploadMissing({ key, storeUpload });
    return upload;
  }
}

function etagOf(bytes: Uint8Array): string {
  return createHash("md5").update(bytes).digest("hex");
}

function at(storeVersion: string | null | undefined): string {
  return storeVersion == null ? "" : `@${storeVersion}`;
}

function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, "$1");
}
