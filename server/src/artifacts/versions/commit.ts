import { isDeepStrictEqual } from "node:util";
import type { CommitUploadBody, CommitUploadReply } from "@lossless/protocol";
import { uploadNotFound } from "../rows/artifact.ts";
import type { AcceptedUpload, CommittedVersion, UploadName } from "../rows/commit.ts";
import { orThrow } from "../rows/kept-refusal.ts";
import { manifestKeyOf } from "../rows/object-key.ts";
import type { StoredUpload } from "../rows/upload.ts";
import { ObjectExists, PartsRejected } from "../../buckets/bucket.ts";
import { withDeadline } from "../../ground/deadline.ts";
import { ServiceError } from "../../ground/errors.ts";
import { writeOne } from "../../storage/storage.ts";
import { checkFiles, completeFiles, ObjectLost } from "./complete-files.ts";
import { manifestText } from "./manifest.ts";
import { storeFailureOf, upstream } from "../../places/stores/store-failure.ts";
import type { WalkContext } from "./walk-context.ts";

export interface CommitUpload extends CommitUploadBody {
  organizationId: string;
  artifact: string;
  uploadId: string;
}

const answerWithinMs = 25_000;

interface Running {
  input: CommitUpload;
  result: Promise<CommittedVersion>;
}

/** Thrown between two files when the upload was abandoned: no more files are completed. */
class Abandoned extends Error {
  override name = "Abandoned";
}

/** Thrown when the files are completed and the manifest may or may not be stored. */
class ManifestNotStored extends Error {
  override name = "ManifestNotStored";
  readonly refusal: ServiceError;
  constructor(refusal: ServiceError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Makes versions of uploads. Between its two transactions a commit completes the files at the
 * store, which may take minutes: clients that ask the same again join the work that runs, others
 * wait for its end.
 */
export class Commits {
  readonly #context: WalkContext;
  readonly #running = new Map<string, Running>();

  constructor(context: WalkContext) {
    this.#context = context;
  }

  async commit(input: CommitUpload): Promise<CommitUploadReply> {
    return reply(await soonEnough(this.#joinOrRun(input)));
  }

  async #joinOrRun(input: CommitUpload): Promise<CommittedVersion> {
    const { organizationId, artifact, uploadId } = input;
    const name = JSON.stringify([organizationId, artifact, uploadId]);
    for (;;) {
      const running = this.#running.get(name);
      if (running === undefined) break;
      if (isDeepStrictEqual(running.input, input)) return running.result;
      await running.result.catch(() => undefined);
    }
    const result = this.#commit(input);
    this.#running.set(name, { input, result });
    const forget = () => this.#running.delete(name);
    // Before any waiting caller goes on.
    result.then(forget, forget);
    return result;
  }

  async #commit(input: CommitUpload): Promise<CommittedVersion> {
    const { storage, failpoints } = this.#context;
    await failpoints.pass("commit.beforeAccept");
    const accepted = await writeOne(storage, "upload.complete", input);
    if ("committed" in accepted) return accepted.committed;
    await failpoints.pass("commit.afterAccept");
    const { organizationId, artifact, uploadId } = input;
    const { committedAtMs } = accepted;
    const name = { organizationId, artifact, uploadId };
    const state = { isTouched: accepted.isRepeated };
    let storeVersions: (string | null)[];
    try {
      storeVersions = await this.#store(input, accepted, state);
    } catch (error) {
      return this.#reopen({ ...name, keptAtMs: state.isTouched ? committedAtMs : null }, error);
    }
    await failpoints.pass("commit.afterManifest");
    const decided = { ...name, committedAtMs, storeVersions };
    const committed = await writeOne(storage, "upload.commit", decided);
    await failpoints.pass("commit.afterCommit");
    return orThrow(committed);
  }

  /**
   * Stores objects and manifest; returns the store's versions of the objects. `isTouched` is set
   * once there may be any: then the version's time stays, even after a failure.
   */
  async #store(
    { organizationId, artifact, uploadId, files }: CommitUpload,
    { upload, committedAtMs, etags }: AcceptedUpload,
    state: { isTouched: boolean },
  ): Promise<(string | null)[]> {
    const { storage, buckets, failpoints } = this.#context;
    const bucket = buckets.bucketOf(upload.location);
    const checked = await checkFiles(bucket, upload, files, etags);
    await failpoints.pass("commit.afterList");
    const found = checked.map(({ parts }) => parts.map(({ etag }) => etag));
    const name = { organizationId, artifact, uploadId };
    if (!isDeepStrictEqual(found, etags)) {
      await writeOne(storage, "upload.accept", { ...name, etags: found });
    }
    state.isTouched = true;
    await completeFiles(bucket, upload, checked, failpoints, async () => {
      const now = await storage.read("upload.state", { organizationId, uploadId });
      if (now === null || now === "abandoned") throw new Abandoned();
    });
    await failpoints.pass("commit.beforeManifest");
    await this.#putManifest(upload, manifestText(artifact, upload, committedAtMs, checked));
    return checked.map(({ storeVersion }) => storeVersion);
  }

  /**
   * Makes the upload pending again after the store refused or failed; clients may send missing
   * parts.
   */
  async #reopen(
    name: UploadName & { keptAtMs: number | null },
    error: unknown,
  ): Promise<CommittedVersion> {
    const { storage, warn } = this.#context;
    const { uploadId } = name;
    const failure = storeFailureOf(error);
    if (failure !== undefined) warn(`The upload ${uploadId} was not completed.`, failure);
    const refusal =
      failure === undefined ? refusalOf(error) : upstream("complete the uploads", failure);
    if (refusal === undefined) throw error;
    // When another writer came meanwhile, this one is told of that instead.
    const now = orThrow(await writeOne(storage, "upload.reopen", name));
    if (now === "pending") throw refusal;
    return now;
  }

  /**
   * Writes the manifest. When the store fails here all files are completed: the same request again
   * continues from there.
   */
  async #putManifest(upload: StoredUpload, text: string): Promise<void> {
    const bucket = this.#context.buckets.bucketOf(upload.location);
    try {
      await bucket.put(manifestKeyOf(upload.prefix), [Buffer.from(text)]);
    } catch (error) {
      // From a commit before that did not come to its end; the text is the same.
      if (error instanceof ObjectExists) return;
      const failure = storeFailureOf(error);
      if (failure === undefined) throw error;
      this.#context.warn(`The manifest of the upload ${upload.id} was not stored.`, failure);
      throw new ManifestNotStored(upstream("store the manifest", failure));
    }
  }
}

/** Reports longer waits before proxies give up: the work goes on, and the same request joins it. */
async function soonEnough<Result>(running: Promise<Result>): Promise<Result> {
  const message = "The store still puts the files together: send the same commit again.";
  return withDeadline(
    answerWithinMs,
    () => running,
    () => {
      throw new ServiceError("upstream", message);
    },
  );
}

function refusalOf(error: unknown): ServiceError | undefined {
  if (error instanceof ManifestNotStored) return error.refusal;
  if (error instanceof Abandoned) return uploadNotFound();
  if (error instanceof PartsRejected) return new ServiceError("bad_request", error.message);
  if (error instanceof ObjectLost) return new ServiceError("conflict", error.message);
  return undefined;
}

function reply({ version, committedAtMs }: CommittedVersion): CommitUploadReply {
  return { version, committed: new Date(committedAtMs).toISOString() };
}
