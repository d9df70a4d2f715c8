import type { CommitUploadBody, CommitUploadReply } from "@lossless/protocol";
import type { CommittedVersion } from "../artifacts/commit.ts";
import { orThrow } from "../artifacts/lost.ts";
import { manifestKeyOf } from "../artifacts/object-key.ts";
import type { StoredUpload } from "../artifacts/upload.ts";
import { ObjectExists, PartsRejected } from "../buckets/bucket.ts";
import type { CompletedPart } from "../buckets/bucket.ts";
import { ServiceError } from "../errors.ts";
import { writeOne } from "../storage/storage.ts";
import { completeFiles, ObjectLost } from "./complete-files.ts";
import { manifestText } from "./manifest.ts";
import { storeErrorOf, upstream } from "./store-failure.ts";
import type { WalkContext } from "./walk-context.ts";

export interface CommitUpload extends CommitUploadBody {
  organizationId: string;
  artifact: string;
  uploadId: string;
}

const answerWithinMs = 25_000;

/**
 * Makes versions of uploads. Between its two transactions a commit completes the files at the store, which may take
 * minutes: clients that ask again join the work that runs.
 */
export class Commits {
  readonly #context: WalkContext;
  readonly #running = new Map<string, Promise<CommittedVersion>>();

  constructor(context: WalkContext) {
    this.#context = context;
  }

  async commit(input: CommitUpload): Promise<CommitUploadReply> {
    const { storage, failpoints } = this.#context;
    await failpoints.pass("commit.beforeAccept");
    const accepted = await writeOne(storage, "upload.complete", input);
    if ("committed" in accepted) return reply(accepted.committed);
    await failpoints.pass("commit.afterAccept");
    const { uploadId } = input;
    let running = this.#running.get(uploadId);
    if (running === undefined) {
      running = this.#run(input, accepted.upload, accepted.committedAtMs);
      this.#running.set(uploadId, running);
      const forget = () => this.#running.delete(uploadId);
      running.then(forget, forget);
    }
    return reply(await soonEnough(running));
  }

  async #run(
    input: CommitUpload,
    upload: StoredUpload,
    committedAtMs: number,
  ): Promise<CommittedVersion> {
    const { storage, buckets, failpoints } = this.#context;
    const { organizationId, artifact, uploadId, files } = input;
    let parts: CompletedPart[][];
    try {
      const bucket = buckets.bucketOf(upload.location);
      parts = await completeFiles(bucket, upload, files, failpoints);
    } catch (error) {
      return this.#reopen(input, error);
    }
    await failpoints.pass("commit.beforeManifest");
    await this.#putManifest(upload, manifestText(artifact, upload, committedAtMs, parts));
    await failpoints.pass("commit.afterManifest");
    const name = { organizationId, artifact, uploadId };
    const committed = await writeOne(storage, "upload.commit", { ...name, committedAtMs });
    await failpoints.pass("commit.afterCommit");
    return orThrow(committed);
  }

  /** The store refused or failed: the upload is pending again, and the client may send what was missing. */
  async #reopen(input: CommitUpload, error: unknown): Promise<CommittedVersion> {
    const { organizationId, artifact, uploadId } = input;
    const { storage, warn } = this.#context;
    const failure = storeErrorOf(error);
    if (failure !== undefined) warn(`The upload ${uploadId} was not completed.`, failure);
    const refusal =
      failure === undefined ? refusalOf(error) : upstream("complete the uploads", failure);
    if (refusal === undefined) throw error;
    const name = { organizationId, artifact, uploadId };
    // When another writer came meanwhile, that is what this one has to hear.
    const now = orThrow(await writeOne(storage, "upload.reopen", name));
    if (now === "pending") throw refusal;
    return now;
  }

  /** A store that fails here leaves everything completed: the same request again goes on from there. */
  async #putManifest(upload: StoredUpload, text: string): Promise<void> {
    const bucket = this.#context.buckets.bucketOf(upload.location);
    try {
      await bucket.put(manifestKeyOf(upload.prefix), [Buffer.from(text)]);
    } catch (error) {
      // From a commit before that did not come to its end; the text is the same.
      if (error instanceof ObjectExists) return;
      const failure = storeErrorOf(error);
      if (failure === undefined) throw error;
      this.#context.warn(`The manifest of the upload ${upload.id} was not stored.`, failure);
      throw upstream("store the manifest", failure);
    }
  }
}

/** What waits longer is told so, before proxies give up: the work goes on, and the same request joins it. */
async function soonEnough<Result>(running: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(stillAtWork()), answerWithinMs);
  try {
    return await Promise.race([running, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function stillAtWork(): ServiceError {
  const message = "The store still puts the files together: send the same commit again.";
  return new ServiceError("upstream", message);
}

function refusalOf(error: unknown): ServiceError | undefined {
  if (error instanceof PartsRejected) return new ServiceError("bad_request", error.message);
  if (error instanceof ObjectLost) return new ServiceError("conflict", error.message);
  return undefined;
}

function reply({ version, committedAtMs }: CommittedVersion): CommitUploadReply {
  return { version, committed: new Date(committedAtMs).toISOString() };
}
