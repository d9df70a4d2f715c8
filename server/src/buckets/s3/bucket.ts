import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { readByRanges } from "../ranges.ts";
import {
  lengthHeader,
  ObjectExists,
  ObjectMissing,
  ObjectShort,
  PartsRejected,
  StoreError,
  UploadMissing,
  type ArtifactBucket,
  type CompletedPart,
  type ObjectToRead,
  type PartLimits,
  type OpenPart,
  type Signed,
  type SignedRequest,
  type StoredObject,
  type StoredPart,
  type StoreUpload,
  type ListedObject,
} from "../bucket.ts";
import { S3ControlClient, type S3Sdk, type S3Settings } from "./client.ts";
import { invalidReply } from "./failure.ts";
import { checkKey } from "./key.ts";
import { objectPages, partPages, uploadPages, type NamedBucket } from "./lists.ts";
import { AddressSigner, requestToRead, type RequestToSign } from "./sigv4.ts";

export type { S3Settings };

/** A bucket of a store that speaks S3: the SDK calls it, our signer makes clients' addresses. */
export class S3Bucket implements ArtifactBucket {
  readonly readableKeys = true;
  readonly limits: PartLimits;
  readonly #bucket: NamedBucket;
  readonly #client: S3ControlClient;
  readonly #signer: AddressSigner;
  readonly #deadlineMs: number;
  readonly #completeDeadlineMs: number;
  readonly #sessionExpiresAtMs: number;
  readonly #clock: () => number;

  constructor(settings: S3Settings) {
    this.limits = S3Bucket.limitsOf(settings);
    const { bucket, expectedOwner } = settings;
    this.#bucket = {
      Bucket: bucket,
      ...(expectedOwner !== undefined && { ExpectedBucketOwner: expectedOwner }),
    };
    this.#sessionExpiresAtMs = settings.sessionExpiresAtMs ?? Infinity;
    this.#clock = settings.clock ?? Date.now;
    this.#deadlineMs = settings.deadlineMs ?? usualDeadlineMs;
    this.#completeDeadlineMs = settings.deadlineMs ?? completeDeadlineMs;
    this.#client = new S3ControlClient(settings, this.#deadlineMs);
    this.#signer = new AddressSigner(settings);
  }

  static limitsOf({ partsMax = s3Limits.partsMax }: Pick<S3Settings, "partsMax">): PartLimits {
    return { ...s3Limits, partsMax };
  }

  /**
   * Difference of the store's clock to ours, positive when ahead, as of its last reply (whole
   * seconds).
   */
  get clockDifferenceMs(): number | undefined {
    return this.#client.clockDifferenceMs;
  }

  /** Stores an object. `metadata` is stored with it; `head` returns it. */
  async put(
    key: string,
    parts: readonly Uint8Array[],
    metadata: Record<string, string> = {},
  ): Promise<void> {
    checkKey(key);
    // Who may not list gets 403 for an absent object; whether it may be put, the store then says.
    if ((await this.#head(key).catch(unless("HTTP 403"))) !== undefined)
      throw new ObjectExists(key);
    const body = Buffer.concat(parts);
    const command = (sdk: S3Sdk) =>
      new sdk.PutObjectCommand({
        ...this.#named(key),
        Body: body,
        ContentMD5: createHash("md5").update(body).digest("base64"),
        Metadata: metadata,
      });
    const deadlineMs = this.#deadlineMs + Math.ceil(body.byteLength / slowestBytesPerMs);
    await this.#client.send("PutObject", command, deadlineMs);
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array> {
    checkKey(key);
    return readByRanges(key, offset, length, {
      size: () => this.size(key),
      readRange: (start, step) => this.#readRange(key, start, step),
    });
  }

  async size(key: string): Promise<number> {
    return (await this.head(key)).sizeBytes;
  }

  async inspect(key: string): Promise<StoredObject> {
    return { sizeBytes: await this.size(key), storeVersion: null };
  }

  /** Returns size and metadata. Throws ObjectMissing. */
  async head(key: string): Promise<{ sizeBytes: number; metadata: Record<string, string> }> {
    checkKey(key);
    const found = await this.#head(key).catch(unless("HTTP 403"));
    if (found !== undefined) return found;
    // A reply to HEAD has no code: a bucket that is gone must not look like an object that is.
    await this.#readRange(key, 0, 1).catch((error: unknown) => {
      // The object exists and is empty.
      if (!(error instanceof ObjectShort)) throw error;
    });
    throw strange("HeadObject");
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    await this.#client
      .send("DeleteObject", (sdk) => new sdk.DeleteObjectCommand(this.#named(key)))
      .catch(unless("NoSuchKey", "NotFound"));
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    for await (const page of objectPages(this.#bucket, prefix, this.#client)) yield* page;
  }

  async startUpload(key: string): Promise<string> {
    checkKey(key);
    const command = (sdk: S3Sdk) => new sdk.CreateMultipartUploadCommand(this.#named(key));
    const { UploadId } = await this.#client.send("CreateMultipartUpload", command);
    if (UploadId === undefined || UploadId === "") throw strange("CreateMultipartUpload");
    return UploadId;
  }

  async signParts(parts: readonly OpenPart[], lifetimeMs: number): Promise<Signed<SignedRequest>> {
    for (const { key } of parts) checkKey(key);
    const requests = parts.map(({ key, storeUpload, number, sizeBytes }) => ({
      method: "PUT" as const,
      key,
      query: { partNumber: String(number), uploadId: storeUpload },
      ...(sizeBytes !== undefined && { contentLength: sizeBytes }),
    }));
    const { addresses: urls, expiresAtMs } = await this.sign(requests, lifetimeMs);
    const addresses = urls.map((url, index) => ({ url, headers: lengthHeader(parts[index]) }));
    return { addresses, expiresAtMs };
  }

  async signReads(objects: readonly ObjectToRead[], lifetimeMs: number): Promise<Signed<string>> {
    for (const { key } of objects) checkKey(key);
    return this.sign(objects.map(requestToRead), lifetimeMs);
  }

  async listParts(upload: StoreUpload): Promise<StoredPart[]> {
    checkKey(upload.key);
    const parts: StoredPart[] = [];
    try {
      for await (const page of partPages(this.#bucket, upload, this.#client)) parts.push(...page);
    } catch (error) {
      throw missingUpload(error, upload);
    }
    return parts;
  }

  /** Null: no address is good for an object that is complete. */
  async complete(upload: StoreUpload, parts: readonly CompletedPart[]): Promise<null> {
    checkKey(upload.key);
    const sorted = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: quoted(etag) }));
    sorted.sort((a, b) => a.PartNumber - b.PartNumber);
    if (sorted.length === 0) throw new PartsRejected("An upload without parts.");
    const operation = "CompleteMultipartUpload";
    const command = (sdk: S3Sdk) =>
      new sdk.CompleteMultipartUploadCommand({
        ...this.#named(upload.key),
        UploadId: upload.storeUpload,
        MultipartUpload: { Parts: sorted },
      });
    try {
      const reply = await this.#client.send(operation, command, this.#completeDeadlineMs);
      // Ceph leaves the ETag empty.
      if (reply.Key === undefined && reply.ETag === undefined) throw strange(operation);
      return null;
    } catch (error) {
      if (error instanceof StoreError && rejections.has(error.code))
        throw new PartsRejected(`The store does not hold these parts: ${error.code}.`);
      // Ceph answers so for an upload that was aborted.
      if (error instanceof StoreError && error.code === "InternalError")
        await this.listParts(upload);
      throw missingUpload(error, upload);
    }
  }

  async abort(upload: StoreUpload): Promise<void> {
    checkKey(upload.key);
    const command = (sdk: S3Sdk) =>
      new sdk.AbortMultipartUploadCommand({
        ...this.#named(upload.key),
        UploadId: upload.storeUpload,
      });
    // A part that was under way may land after the abort, and would be kept and billed for ever.
    for (let pauseMs = 100; ; pauseMs *= 2) {
      const aborted = await this.#client
        .send("AbortMultipartUpload", command)
        .catch(unless(...missingUploadCodes));
      // Ended before. Swift would go on listing the parts of an upload that was completed.
      if (aborted === undefined) return;
      const left = await this.listParts(upload).catch((error: unknown) => {
        if (error instanceof UploadMissing) return [];
        throw error;
      });
      if (left.length === 0) return;
      if (pauseMs > abortPauseMsMax)
        throw new StoreError("parts left", true, "Parts of an aborted upload are still there.");
      await sleep(pauseMs);
    }
  }

  async *listUploads(prefix: string): AsyncIterable<StoreUpload & { startedMs: number }> {
    for await (const page of uploadPages(this.#bucket, prefix, this.#client)) yield* page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.destroy();
  }

  async #head(
    key: string,
  ): Promise<{ sizeBytes: number; metadata: Record<string, string> } | undefined> {
    const found = await this.#client
      .send("HeadObject", (sdk) => new sdk.HeadObjectCommand(this.#named(key)))
      .catch(unless("NotFound", "NoSuchKey"));
    if (found === undefined) return undefined;
    if (found.ContentLength === undefined) throw strange("HeadObject");
    return { sizeBytes: found.ContentLength, metadata: found.Metadata ?? {} };
  }

  async #readRange(key: string, offset: number, length: number): Promise<Uint8Array> {
    const range = `bytes=${offset}-${offset + length - 1}`;
    const command = (sdk: S3Sdk) => new sdk.GetObjectCommand({ ...this.#named(key), Range: range });
    const reply = await this.#client.send("GetObject", command).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "NoSuchKey") throw new ObjectMissing(key);
      if (/^(InvalidRange|HTTP 416)$/.test(error.code)) throw new ObjectShort(key, offset, length);
      throw error;
    });
    const isRange = reply.ContentRange?.startsWith(`bytes ${offset}-`) === true;
    if (reply.Body === undefined || !isRange) throw strange("GetObject");
    const bytes = await reply.Body.transformToByteArray();
    if (bytes.byteLength > length) throw strange("GetObject");
    if (bytes.byteLength < length) throw new ObjectShort(key, offset, length);
    return bytes;
  }

  /**
   * Signs addresses. Their lifetime ends with the session: a store refuses an address whose session
   * has ended, whatever its own expiry.
   */
  protected async sign(
    requests: readonly RequestToSign[],
    lifetimeMs: number,
  ): Promise<Signed<string>> {
    const nowMs = this.#clock();
    const leftMs = this.#sessionExpiresAtMs - nowMs;
    if (leftMs < 1_000)
      throw new StoreError("ExpiredToken", true, "The session that signs addresses has ended.");
    return this.#signer.sign(requests, nowMs, Math.min(lifetimeMs, leftMs));
  }

  #named(key: string): NamedBucket & { Key: string } {
    return { ...this.#bucket, Key: key };
  }
}

const usualDeadlineMs = 30_000;
const completeDeadlineMs = 300_000;
const abortPauseMsMax = 2_000;
/** A large object gets more time, as if the line were so slow. */
const slowestBytesPerMs = 1_000;
const s3Limits: PartLimits = {
  partsMax: 10_000,
  partBytesMin: 5 * 2 ** 20,
  partBytesMax: 5 * 2 ** 30,
};

/** Codes for an upload that ended: Ceph and Swift answer NoSuchKey, but not to every call. */
const missingUploadCodes = ["NoSuchUpload", "NoSuchKey", "NotFound", "HTTP 404"];

const rejections = new Set([
  "InvalidPart",
  "InvalidPartOrder",
  "EntityTooSmall",
  "MalformedXML",
  "InvalidArgument",
]);

/** Clients send ETags as they got them. */
function quoted(etag: string): string {
  const plain = etag.replaceAll(/^(W\/)?"|"$/g, "");
  if (!/^[\w+/=.-]{1,200}$/.test(plain)) throw new PartsRejected("An ETag that no store gives.");
  return `"${plain}"`;
}

function unless(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof StoreError && codes.includes(error.code))) throw error;
  };
}

function missingUpload(error: unknown, upload: StoreUpload): unknown {
  if (error instanceof StoreError && missingUploadCodes.includes(error.code))
    return new UploadMissing(upload);
  return error;
}

function strange(operation: string): StoreError {
  return new StoreError(invalidReply, true, `The store failed at ${operation}: ${invalidReply}.`);
}
