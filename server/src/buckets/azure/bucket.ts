import { rangeBytesMax, readByRanges } from "../ranges.ts";
import {
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
  lengthHeader,
  type ListedObject,
} from "../bucket.ts";
import {
  blockId,
  blockListXml,
  markerNumber,
  namedBlock,
  newUploadId,
  requireUploadId,
  startedMsOf,
  type NamedBlock,
} from "./block.ts";
import { AzureContainer, xmlOf, type ContainerSettings } from "./container.ts";
import { strangeReply, unversioned } from "./failure.ts";
import { checkAzureKey } from "./key.ts";
import { deleteCurrent, deleteVersion, deleteVersions } from "./removal.ts";
import { signBlob, type BlobToSign, type DelegationKey } from "./sas.ts";
import { childAt, textAt } from "../store-xml.ts";

export interface AzureBlobSettings extends ContainerSettings {
  account: string;
  /** Returns a key, valid for an hour, or for the lifetime of keys. */
  delegationKey: () => Promise<DelegationKey>;
  clock: () => number;
  /**
   * `required`: a completed blob has a version, and reads are signed for it. `absent` is for
   * Azurite, which has none; there a part's address can still replace the blob.
   */
  versioning: "required" | "absent";
}

/**
 * A container of Azure's blob storage. Parts are blocks; block.ts describes the rest of an upload.
 * A client that may put a block may also put the whole blob, until its address expires. So a blob
 * is made only where there is none (`If-None-Match: *`), its version is the valid one from then on,
 * and blobs put there later are never read.
 */
export class AzureBlobBucket implements ArtifactBucket {
  readonly readableKeys = false;
  readonly limits = azureLimits;
  readonly #settings: AzureBlobSettings;
  readonly #container: AzureContainer;

  constructor(settings: AzureBlobSettings) {
    this.#settings = settings;
    this.#container = new AzureContainer(settings);
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    checkAzureKey(key);
    const { code } = await this.#container.call({
      operation: "Put Blob",
      method: "PUT",
      key,
      headers: { "x-ms-blob-type": "BlockBlob", "if-none-match": "*" },
      body: Buffer.concat(parts),
      expected: existsCodes,
      isRepeatable: false,
    });
    if (code !== "") throw new ObjectExists(key);
  }

  async read(
    key: string,
    offset: number,
    length: number,
    storeVersion: string | null = null,
  ): Promise<Uint8Array> {
    checkAzureKey(key);
    return readByRanges(key, offset, length, {
      size: () => this.size(key),
      readRange: (start, step) => this.#readRange({ key, storeVersion }, start, step),
    });
  }

  async size(key: string): Promise<number> {
    return (await this.#head(key)).sizeBytes;
  }

  async inspect(key: string): Promise<StoredObject> {
    const found = await this.#head(key);
    return { ...found, storeVersion: this.#required(found.storeVersion, "Get Blob Properties") };
  }

  /** The blob with all versions; the current one cannot be deleted before it is an earlier one. */
  async delete(key: string): Promise<void> {
    checkAzureKey(key);
    await deleteCurrent(this.#container, key);
    if (this.#settings.versioning === "absent") return;
    await deleteVersions(this.#container, key);
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    for await (const page of this.#container.pages(prefix, ""))
      for (const { key, sizeBytes, modifiedMs } of page) yield { key, sizeBytes, modifiedMs };
  }

  async startUpload(key: string): Promise<string> {
    checkAzureKey(key);
    const storeUpload = newUploadId(this.#settings.clock());
    await this.#container.call({
      operation: "Put Block",
      method: "PUT",
      key,
      query: blockQuery(blockId({ storeUpload, number: markerNumber })),
      body: Buffer.from("m"),
    });
    return storeUpload;
  }

  async signParts(parts: readonly OpenPart[], lifetimeMs: number): Promise<Signed<SignedRequest>> {
    const { sign, expiresAtMs } = await this.#signer(lifetimeMs);
    const addresses = parts.map((part) => {
      checkAzureKey(part.key);
      const sas = sign({ key: part.key, permission: "w" });
      const headers = lengthHeader(part);
      const url = `${this.#container.address}/${part.key}`;
      // Azure takes no empty block. The only part of an empty file is the blob itself.
      if (part.sizeBytes === 0)
        return { url: `${url}?${sas}`, headers: { ...headers, "x-ms-blob-type": "BlockBlob" } };
      return { url: `${url}?${blockQuery(blockId(part))}&${sas}`, headers };
    });
    return { addresses, expiresAtMs };
  }

  async signReads(objects: readonly ObjectToRead[], lifetimeMs: number): Promise<Signed<string>> {
    const { sign, expiresAtMs } = await this.#signer(lifetimeMs);
    const addresses = objects.map(({ key, storeVersion, fileName }) => {
      checkAzureKey(key);
      const url = `${this.#container.address}/${key}`;
      const read = { key, permission: "r" as const, fileName };
      if (storeVersion == null) return `${url}?${sign(read)}`;
      const sas = sign({ ...read, versionId: storeVersion });
      return `${url}?versionid=${encodeURIComponent(storeVersion)}&${sas}`;
    });
    return { addresses, expiresAtMs };
  }

  async listParts(upload: StoreUpload): Promise<StoredPart[]> {
    const blocks = await this.#blocks(upload);
    if (blocks === undefined) throw new UploadMissing(upload);
    return [...blocks]
      .filter(([number]) => number !== markerNumber)
      .sort(([a], [b]) => a - b)
      .map(([number, sizeBytes]) => ({ number, sizeBytes, etag: "" }));
  }

  /** Completes an upload. ETags are ignored: a block has none. */
  async complete(upload: StoreUpload, parts: readonly CompletedPart[]): Promise<string | null> {
    const { key, storeUpload } = upload;
    const blocks = await this.#blocks(upload);
    if (blocks === undefined) return this.#completedBefore(upload, parts);
    const numbers = parts.map(({ number }) => number).sort((a, b) => a - b);
    const isHeld = numbers.every((number, at) => number === at + 1 && blocks.has(number));
    if (numbers.length === 0 || !isHeld)
      throw new PartsRejected("Azure does not hold these parts.");
    const reply = await this.#putBlockList(
      key,
      numbers.map((number) => blockId({ storeUpload, number })),
    );
    if (reply.code === "") return this.#required(versionOf(reply.headers), "Put Block List");
    if (reply.code === "InvalidBlockList" && (await this.#blocks(upload)) !== undefined)
      throw new PartsRejected("Azure does not hold these parts.");
    throw new UploadMissing(upload);
  }

  /**
   * Aborts an upload. An empty blob, made where there is none, discards all waiting blocks, and is
   * removed again. A block that arrives later is forgotten by Azure after a week. A completed blob
   * is left alone.
   */
  async abort(upload: StoreUpload): Promise<void> {
    const { key } = upload;
    if ((await ifNotTooMany(this.#blocks(upload))) === undefined) return;
    const made = await this.#putBlockList(key, []);
    if (made.code !== "") return;
    const etag = made.headers.get("etag");
    if (etag === null) throw strangeReply("Put Block List");
    await deleteCurrent(this.#container, key, { "if-match": etag });
    const versionId = versionOf(made.headers);
    if (versionId !== null) await deleteVersion(this.#container, key, versionId);
  }

  /** Lists only blobs with no committed state: keys are used once. */
  async *listUploads(prefix: string): AsyncIterable<StoreUpload & { startedMs: number }> {
    for await (const page of this.#container.pages(prefix, "uncommittedblobs"))
      for (const { key, sizeBytes, modifiedMs } of page) {
        if (sizeBytes > 0) continue;
        const blocks = await ifNotTooMany(this.#allBlocks(key));
        if (blocks === "too many") {
          // The marker is somewhere among them. To end whichever upload of the blob ends all.
          if (!(await this.#exists(key)))
            yield { key, storeUpload: newUploadId(modifiedMs), startedMs: modifiedMs };
          continue;
        }
        for (const { storeUpload, number } of blocks.keys())
          if (number === markerNumber)
            yield { key, storeUpload, startedMs: startedMsOf(storeUpload) ?? 0 };
      }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#container.destroy();
  }

  async #exists(key: string): Promise<boolean> {
    try {
      await this.#head(key);
      return true;
    } catch (error) {
      if (error instanceof ObjectMissing) return false;
      throw error;
    }
  }

  async #head(key: string): Promise<StoredObject> {
    checkAzureKey(key);
    const operation = "Get Blob Properties";
    const expected = ["BlobNotFound"];
    const reply = await this.#container.call({ operation, method: "HEAD", key, expected });
    if (reply.code !== "") throw new ObjectMissing(key);
    const sizeBytes = Number(reply.headers.get("content-length") ?? "none");
    if (!Number.isSafeInteger(sizeBytes)) throw strangeReply(operation);
    return { sizeBytes, storeVersion: versionOf(reply.headers) };
  }

  async #readRange(
    { key, storeVersion }: ObjectToRead,
    offset: number,
    length: number,
  ): Promise<Uint8Array> {
    const operation = "Get Blob";
    const reply = await this.#container.call({
      operation,
      method: "GET",
      key,
      ...(storeVersion == null ? {} : { query: `versionid=${encodeURIComponent(storeVersion)}` }),
      headers: { range: `bytes=${offset}-${offset + length - 1}` },
      expected: ["BlobNotFound", "InvalidRange"],
      replyBytesMax: rangeBytesMax,
    });
    if (reply.code === "BlobNotFound") throw new ObjectMissing(key);
    if (reply.code === "InvalidRange") throw new ObjectShort(key, offset, length);
    const isRange = reply.headers.get("content-range")?.startsWith(`bytes ${offset}-`) === true;
    if (!isRange || reply.body.byteLength > length) throw strangeReply(operation);
    if (reply.body.byteLength < length) throw new ObjectShort(key, offset, length);
    return reply.body;
  }

  /** Makes the blob of these waiting blocks, if there is none; without blocks an empty one. */
  #putBlockList(key: string, ids: readonly string[]) {
    return this.#container.call({
      operation: "Put Block List",
      method: "PUT",
      key,
      query: "comp=blocklist",
      headers: { "if-none-match": "*", "content-type": "application/xml" },
      body: blockListXml(ids),
      expected: [...existsCodes, "InvalidBlockList"],
      isRepeatable: false,
      breaksLease: true,
    });
  }

  /**
   * Sizes of the upload's blocks by number; undefined when its marker is gone. Where there is a
   * marker and no part, the empty part of an empty file may have made the blob: whether blocks go
   * on waiting then, no page of Azure says (Azurite lets them).
   */
  async #blocks(upload: StoreUpload): Promise<Map<number, number> | undefined> {
    checkAzureKey(upload.key);
    requireUploadId(upload);
    const blocks = new Map<number, number>();
    for (const [block, sizeBytes] of await this.#allBlocks(upload.key))
      if (block.storeUpload === upload.storeUpload) blocks.set(block.number, sizeBytes);
    if (!blocks.has(markerNumber)) return undefined;
    return blocks.size === 1 && (await this.#exists(upload.key)) ? undefined : blocks;
  }

  /** Blocks that wait at the blob and are named like ours, with their sizes. */
  async #allBlocks(key: string): Promise<Map<NamedBlock, number>> {
    const operation = "Get Block List";
    const reply = await this.#container.call({
      operation,
      method: "GET",
      key,
      query: "comp=blocklist&blocklisttype=uncommitted",
      expected: ["BlobNotFound"],
      replyBytesMax: blockListBytesMax,
    });
    const blocks = new Map<NamedBlock, number>();
    if (reply.code !== "") return blocks;
    const root = await xmlOf(operation, reply);
    for (const block of childAt(root, "UncommittedBlocks")?.children ?? []) {
      const name = namedBlock(textAt(block, "Name") ?? "");
      const sizeBytes = Number(textAt(block, "Size") ?? "none");
      if (!Number.isSafeInteger(sizeBytes)) throw strangeReply(operation);
      if (name !== undefined) blocks.set(name, sizeBytes);
    }
    return blocks;
  }

  /** The empty part of an empty file made the blob when it was sent: it is complete already. */
  async #completedBefore(
    upload: StoreUpload,
    parts: readonly CompletedPart[],
  ): Promise<string | null> {
    const gone = new UploadMissing(upload);
    if (parts.length !== 1) throw gone;
    const found = await this.inspect(upload.key).catch((error: unknown) => {
      throw error instanceof ObjectMissing ? gone : error;
    });
    if (found.sizeBytes > 0) throw gone;
    return found.storeVersion;
  }

  async #signer(lifetimeMs: number): Promise<{
    sign: (blob: Pick<BlobToSign, "key" | "permission" | "versionId" | "fileName">) => string;
    expiresAtMs: number;
  }> {
    const { account, container, endpoint, clock } = this.#settings;
    const delegation = await this.#settings.delegationKey();
    const latestMs = Math.min(clock() + lifetimeMs, delegation.expiresAtMs);
    const expiresAtMs = Math.floor(latestMs / 1_000) * 1_000;
    const httpsOnly = endpoint.startsWith("https:");
    const common = { account, container, expiresAtMs, httpsOnly };
    return { sign: (blob) => signBlob({ ...common, ...blob }, delegation), expiresAtMs };
  }

  /** The version, where there has to be one. */
  #required(versionId: string | null, operation: string): string | null {
    if (this.#settings.versioning === "absent") return null;
    if (versionId === null) throw unversioned(operation);
    return versionId;
  }
}

/** A blob has 50,000 blocks; a part is one. */
const azureLimits: PartLimits = {
  partsMax: 10_000,
  partBytesMin: 1,
  partBytesMax: 4_000 * 2 ** 20,
};
/**
 * Maximum of a list of blocks; our 10,000 take half of it. A client with a part's address may leave
 * 100,000 of any name.
 */
const blockListBytesMax = 2 * 1024 * 1024;
/** Error codes for `If-None-Match: *` where a blob exists. */
const existsCodes = ["BlobAlreadyExists", "ConditionNotMet", "UnauthorizedBlobOverwrite"];

function blockQuery(id: string): string {
  return `comp=block&blockid=${encodeURIComponent(id)}`;
}

/** Returns the requested list of blocks, or that it is longer than one of ours can be. */
async function ifNotTooMany<Found>(asked: Promise<Found>): Promise<Found | "too many"> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StoreError && error.code === "reply too large") return "too many";
    throw error;
  }
}

function versionOf(headers: Headers): string | null {
  return headers.get("x-ms-version-id");
}
