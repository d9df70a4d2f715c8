import { limits } from "@lossless/protocol/limits";
import {
  type ArtifactBucket,
  ObjectMissing,
  PartsRejected,
  type SignedRequest,
  type StoredPart,
  type StoreUpload,
  UploadMissing,
} from "../../buckets/bucket.ts";
import type { FileName } from "../rows/mlflow/file.ts";
import { unquotedEtag } from "../../ground/etag.ts";
import { ServiceError } from "../../ground/errors.ts";
import { writeOne } from "../../storage/storage.ts";
import { atStore } from "../../places/stores/store-failure.ts";
import { type BegunFile, beginFileUpload, choiceFor, keyOf } from "./begin-file.ts";
import { completeFiles, ObjectLost } from "./complete-files.ts";
import { signInTurns } from "./sign-in-turns.ts";
import type { MadeObject } from "./store-object.ts";
import type { WalkContext } from "./walk-context.ts";

/** An upload whose parts go straight to a bucket. */
export interface SentInParts extends FileName {
  /** Id that `start` returned. */
  uploadId: string;
}

export interface SentPart {
  number: number;
  /** The part's ETag; empty where the store has none. */
  etag: string;
}

/** The message that MLflow's clients look for: they then send the file in one request. */
const unsupported = "Multipart upload is not supported for the current artifact repository";
const partsPerTurn = 250;

/**
 * Uploads of files whose parts clients send to the bucket by signed addresses, in sizes that only
 * the clients know. The database keeps the same rows as for any file being uploaded (`Files`):
 * until the commit nothing is readable, and an upload that is never completed is swept a day after
 * it was begun.
 */
export class FileParts {
  readonly #context: WalkContext;

  constructor(context: WalkContext) {
    this.#context = context;
  }

  /** Whether the organization's files go to a bucket that clients can send to by themselves. */
  async isOffered(organizationId: string): Promise<boolean> {
    const location = await choiceFor(this.#context, organizationId);
    return location !== undefined && location.driver !== "built-in";
  }

  /**
   * Returns one address for each part, valid for the maximal duration of an upload: addresses
   * cannot be renewed.
   */
  async start(
    name: FileName,
    parts: number,
  ): Promise<{ uploadId: string; addresses: SignedRequest[] }> {
    const begun = await beginFileUpload(
      this.#context,
      name,
      ({ driver }, { limits: { partsMax } }) => {
        if (driver === "built-in") throw new ServiceError("not_implemented", `${unsupported}.`);
        const most = Math.min(partsMax, limits.partsPerUploadMax);
        if (parts <= most) return;
        const sentence = `${unsupported} with more than ${most} parts: set MLFLOW_MULTIPART_UPLOAD_CHUNK_SIZE to more bytes.`;
        throw new ServiceError("not_implemented", sentence);
      },
    );
    const { key, bucket } = begun;
    let storeUpload: string | undefined;
    try {
      const made = await atStore("begin an upload", () => bucket.startUpload(key));
      storeUpload = made;
      const items = Array.from({ length: parts }, (_, at) => ({
        key,
        storeUpload: made,
        number: at + 1,
      }));
      const addresses = await atStore("sign the parts", () => this.#signed(bucket, items));
      return { uploadId: idOf(begun.uploadId, parts, made), addresses };
    } catch (error) {
      await this.#giveUp(name.organizationId, begun, storeUpload).catch(() => undefined);
      throw error;
    }
  }

  /** Completes the upload: the file is whole when this returns; a repeated call finds it done. */
  async complete(name: SentInParts, sent: readonly SentPart[]): Promise<void> {
    const found = await this.#find(name);
    if (found.isOver) return;
    const { parts, begun, storeUpload } = found;
    const numbers = sent.map(({ number }) => number).toSorted((one, other) => one - other);
    if (numbers.length !== parts || numbers.some((number, at) => number !== at + 1)) {
      const sentence = `The upload was begun with ${parts} parts: each has to be named once.`;
      throw new ServiceError("bad_request", sentence);
    }
    const made = await atStore("complete the file", () => this.#made(begun, storeUpload, sent));
    await this.#context.failpoints.pass("file.beforeCommit");
    const { organizationId, owner, path } = name;
    const { uploadId } = begun;
    const file = { organizationId, owner, path, uploadId, ...made };
    await writeOne(this.#context.storage, "file.commit", file);
    await this.#context.failpoints.pass("file.afterCommit");
  }

  /** Aborts the upload and frees its bytes in the store; the sweeper removes later leftovers. */
  async abort(name: SentInParts): Promise<void> {
    const found = await this.#find(name);
    if (found.isOver) {
      const sentence = "The upload is complete; what it made can be deleted as a file.";
      throw new ServiceError("bad_request", sentence);
    }
    await this.#giveUp(name.organizationId, found.begun, found.storeUpload);
  }

  async #find(name: SentInParts): Promise<FoundUpload> {
    const given = partsOfId(name.uploadId);
    const { storage, buckets } = this.#context;
    const found = given && (await storage.read("file.upload", { ...name, uploadId: given.id }));
    if (found?.isOver) return found;
    if (given !== undefined && found !== undefined) {
      const { key, location } = found;
      const bucket = buckets.bucketOf(location);
      // The key has the owner and the path in it, as far as the store takes them.
      if (key === keyOf({ location, bucket, uploadId: given.id }, name)) {
        const { parts, storeUpload } = given;
        const begun = { uploadId: given.id, key, location, bucket };
        return { isOver: false, parts, storeUpload, begun };
      }
    }
    throw new ServiceError("file_not_found", "No such upload of this file; it may have ended.");
  }

  async #signed(
    bucket: ArtifactBucket,
    items: readonly (StoreUpload & { number: number })[],
  ): Promise<SignedRequest[]> {
    const addresses: SignedRequest[] = [];
    const sign = (turn: typeof items) => bucket.signParts(turn, limits.fileSendingMsMax);
    const { signingDeadlineMs: deadlineMs } = this.#context;
    for await (const { signed } of signInTurns({ items, perTurn: partsPerTurn, sign, deadlineMs }))
      addresses.push(...signed.addresses);
    return addresses;
  }

  /** The object, from parts of which the store has the sizes. */
  async #made(
    { key, bucket }: BegunFile,
    storeUpload: string,
    sent: readonly SentPart[],
  ): Promise<MadeObject> {
    try {
      const parts = heldParts(await bucket.listParts({ key, storeUpload }), sent);
      const size = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const file = { name: key, key, size, partSize: parts[0].sizeBytes, parts: parts.length };
      const checked = [{ parts, isCompleted: false, storeVersion: null as string | null }];
      const upload = { files: [file], storeUploads: [storeUpload] };
      const { failpoints } = this.#context;
      await completeFiles(bucket, upload, checked, failpoints, async () => undefined);
      return { bytes: size, storeVersion: checked[0].storeVersion };
    } catch (error) {
      if (error instanceof PartsRejected) throw new ServiceError("bad_request", error.message);
      if (error instanceof ObjectLost) throw new ServiceError("file_not_found", error.message);
      if (!(error instanceof UploadMissing)) throw error;
    }
    // An earlier call made the object and came to no commit: the key is this upload's alone.
    try {
      const { sizeBytes, storeVersion } = await bucket.inspect(key);
      return { bytes: sizeBytes, storeVersion };
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      const sentence = "The store no longer has the upload of this file: send it again.";
      throw new ServiceError("file_not_found", sentence);
    }
  }

  async #giveUp(
    organizationId: string,
    { uploadId, key, location, bucket }: BegunFile,
    storeUpload: string | undefined,
  ): Promise<void> {
    const failed = { organizationId, uploadId, locationId: location.id, key };
    await writeOne(this.#context.storage, "file.failed", failed);
    // A store that fails now is asked again by the sweeper.
    if (storeUpload !== undefined) await bucket.abort({ key, storeUpload }).catch(() => undefined);
  }
}

type FoundUpload =
  | { isOver: true }
  | { isOver: false; parts: number; storeUpload: string; begun: BegunFile };

/** Returns the id sent to the client: our id, the number of parts and the store's id. */
function idOf(id: string, parts: number, storeUpload: string): string {
  return `${id}.${parts}.${Buffer.from(storeUpload).toString("base64url")}`;
}

function partsOfId(text: string): { id: string; parts: number; storeUpload: string } | undefined {
  const found = /^([0-9a-z]{26})\.([1-9]\d{0,4})\.([\w-]{1,2048})$/.exec(text);
  if (found === null) return undefined;
  const [, id, parts, store] = found;
  return {
    id,
    parts: Number(parts),
    storeUpload: Buffer.from(store, "base64url").toString("utf8"),
  };
}

/** The parts as the store has them, in order; throws PartsRejected for one that it has not. */
function heldParts(stored: readonly StoredPart[], sent: readonly SentPart[]): StoredPart[] {
  const held = new Map(stored.map((part) => [part.number, part]));
  const parts = sent.map(({ number, etag: text }) => {
    const part = held.get(number);
    if (part === undefined) throw new PartsRejected(`Part ${number} was not sent.`);
    const etag = unquotedEtag(text);
    if (etag === "" || part.etag === "" || etag === part.etag) return part;
    throw new PartsRejected(`Part ${number} has another ETag in the store: send it again.`);
  });
  return parts.sort((one, other) => one.number - other.number);
}
