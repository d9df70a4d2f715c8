import { randomBytes } from "node:crypto";
import { limits } from "@lossless/protocol/limits";
import {
  type ArtifactBucket,
  type CompletedPart,
  ObjectMissing,
  ObjectShort,
  PartsRejected,
  type PartToSign,
  StoreError,
  type StoreUpload,
  UploadMissing,
} from "../../buckets/bucket.ts";
import { storeErrorOf } from "../../buckets/s3/failure.ts";
import { withDeadline } from "../../ground/deadline.ts";
import { type SignedReply, SignedRequests } from "./signed-requests.ts";

/** Findings of the probe about a store, kept with the location as its capabilities. */
export type ProbeFindings = {
  probedAtMs: number;
  /** Difference of its clock to ours, from its Date headers. */
  clockSkewMs: number;
  /** Whether it refuses a body of another length than the signed one (Azure does not). */
  enforcesPartLength: boolean;
  /** Whether completing the same upload again succeeds, rather than failing because it is gone. */
  completesAgain: boolean;
  /** Whether the store lists unfinished uploads: without it, unknown ones stay for ever. */
  listsUploads: boolean;
  /** Parts that it takes of one upload: 10,000 as S3 does, or 1,000. */
  partsMax: number;
};

/** `step` is ours, `code` the store's or our word: neither has anything of a reply's body (A58). */
export class ProbeFailed extends Error {
  override name = "ProbeFailed";
  readonly step: string;
  readonly code: string;
  constructor(step: string, code: string, cause?: unknown) {
    super(`The probe of the store failed at the step "${step}": ${code}.`, { cause });
    this.step = step;
    this.code = code;
  }
}

/** Steps and cleanup together stay below the 15 s that a new location's request may take (T44). */
export interface ProbeTimes {
  stepsMs: number;
  cleanupMs: number;
}

export interface ProbeSubject {
  bucket: ArtifactBucket;
  /** The location's prefix in its bucket. */
  path: string;
  /** Unique id of the probe. */
  id: string;
}

/**
 * Maximum of the clock's skew. Beyond it signatures are refused soon: stores allow 15 minutes, and
 * clocks drift on.
 */
const clockSkewMsMax = 5 * 60_000;
export const clocksDiffer = "the clocks differ by more than 5 minutes";
const firstPartBytes = 5 * 1_048_576;
const [usualPartsMax, smallPartsMax] = [10_000, 1_000];
/**
 * Lifetime of addresses, that of clients' ones: a shorter one would expire too early where clocks
 * differ.
 */
const lifetimeMs = limits.signedUrlLifetimeMs;

/**
 * Tries every operation of artifacts once on a store: put, ranged get, a multipart upload in two
 * parts through signed addresses, a name with spaces and letters of many scripts, abort, delete.
 * Removes its objects as far as it can. Throws ProbeFailed.
 */
export async function probe(
  subject: ProbeSubject,
  requests: SignedRequests,
  times: ProbeTimes,
  clock: () => number,
): Promise<ProbeFindings> {
  const steps = new Probe(subject, requests, clock);
  try {
    return await withDeadline(
      times.stepsMs,
      () => steps.run(),
      () => {
        throw steps.outOfTime();
      },
    );
  } finally {
    await steps.cleanUp(times.cleanupMs);
  }
}

/** The same with connections of its own, which end with it. */
export async function probeBucket(
  subject: ProbeSubject,
  agents: ConstructorParameters<typeof SignedRequests>[0],
  times: ProbeTimes,
  clock: () => number,
): Promise<ProbeFindings> {
  using requests = new SignedRequests(agents);
  return await probe(subject, requests, times, clock);
}

class Probe {
  readonly #bucket: ArtifactBucket;
  readonly #requests: SignedRequests;
  readonly #clock: () => number;
  readonly #prefix: string;
  readonly #stop = new AbortController();
  readonly #uploads: StoreUpload[] = [];
  readonly #keys: string[] = [];
  #step = "put";

  constructor({ bucket, path, id }: ProbeSubject, requests: SignedRequests, clock: () => number) {
    this.#bucket = bucket;
    this.#requests = requests;
    this.#clock = clock;
    this.#prefix = `${path === "" ? "" : `${path}/`}.lossless-probe/${id}/`;
  }

  async run(): Promise<ProbeFindings> {
    const small = this.#key("small");
    const name = this.#bucket.readableKeys ? "späte Läufe/模型 7 %20+&.bin" : "named";
    const named = this.#key(name);
    const content = randomBytes(firstPartBytes + 1);
    await this.#do("put", () => this.#bucket.put(small, [content.subarray(0, 64)]));
    await this.#do("ranged get", async () => {
      requireSame(await this.#bucket.read(small, 16, 32), content.subarray(16, 48));
    });
    const clockSkewMs = await this.#do("clock", () => this.#skew(small));
    const upload = await this.#do("multipart upload", () => this.#start(named));
    const listsUploads = await this.#do("list of uploads", () => this.#lists(upload));
    const enforcesPartLength = await this.#do("signed upload of parts", () =>
      this.#refusesLongerPart(upload),
    );
    const parts = await this.#do("signed upload of parts", () => this.#send(upload, content));
    const completesAgain = await this.#do("completion of the upload", () =>
      this.#complete(upload, parts, content.length),
    );
    await this.#do("signed download", () => this.#download(named, content));
    const partsMax = await this.#do("abort", () => this.#abortAnother());
    await this.#do("delete", () => this.#delete([small, named]));
    this.#uploads.length = 0;
    this.#keys.length = 0;
    const probedAtMs = this.#clock();
    return { probedAtMs, clockSkewMs, enforcesPartLength, completesAgain, listsUploads, partsMax };
  }

  outOfTime(): ProbeFailed {
    return new ProbeFailed(this.#step, "timeout");
  }

  /** Removes the probe's objects as far as the store allows, within this time. */
  async cleanUp(withinMs: number): Promise<void> {
    this.#stop.abort();
    if (this.#keys.length === 0) return;
    await withDeadline(
      withinMs,
      () => this.#removeAll(),
      () => undefined,
    );
  }

  /**
   * Removes recorded uploads, then those that the store lists: an upload may have begun although
   * its reply was lost.
   */
  async #removeAll(): Promise<void> {
    await Promise.allSettled([
      ...this.#uploads.map((upload) => this.#bucket.abort(upload)),
      ...this.#keys.map((key) => this.#bucket.delete(key)),
    ]);
    const abortListed = async () => {
      for await (const upload of this.#bucket.listUploads(this.#prefix)) {
        await this.#bucket.abort(upload);
      }
    };
    const deleteListed = async () => {
      for await (const { key } of this.#bucket.list(this.#prefix)) await this.#bucket.delete(key);
    };
    await Promise.allSettled([abortListed(), deleteListed()]);
  }

  async #do<T>(step: string, work: () => Promise<T>): Promise<T> {
    this.#step = step;
    if (this.#stop.signal.aborted) throw this.outOfTime();
    try {
      return await work();
    } catch (error) {
      throw new ProbeFailed(step, codeOf(error), error);
    }
  }

  #key(name: string): string {
    const key = this.#prefix + name;
    this.#keys.push(key);
    return key;
  }

  async #start(key: string): Promise<StoreUpload> {
    const upload = { key, storeUpload: await this.#bucket.startUpload(key) };
    this.#uploads.push(upload);
    return upload;
  }

  async #lists({ storeUpload }: StoreUpload): Promise<boolean> {
    try {
      for await (const found of this.#bucket.listUploads(this.#prefix)) {
        if (found.storeUpload === storeUpload) return true;
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    return false;
  }

  /**
   * Whether the store refuses a longer part. Sent before the right part, which replaces it where it
   * was accepted.
   */
  async #refusesLongerPart(upload: StoreUpload): Promise<boolean> {
    try {
      const reply = await this.#put({ ...upload, number: 2, sizeBytes: 1 }, new Uint8Array(2));
      return reply.status >= 400;
    } catch {
      // Some close the connection on it. When nothing can be sent at all, the next step says so.
      return true;
    }
  }

  async #send(upload: StoreUpload, content: Uint8Array): Promise<CompletedPart[]> {
    const bodies = [content.subarray(0, firstPartBytes), content.subarray(firstPartBytes)];
    const parts: CompletedPart[] = [];
    for (const [index, body] of bodies.entries()) {
      const number = index + 1;
      const reply = await this.#put({ ...upload, number, sizeBytes: body.length }, body);
      if (!isTaken(reply)) throw new StoreError(replyCode(reply), false, "a part was refused");
      // Azure: 201 and no ETag. Elsewhere a reply without one is wrong.
      const isNameless = reply.status === 201 && reply.etag === undefined;
      if (reply.etag === undefined && !isNameless) {
        throw new StoreError("no ETag", false, "a part has no ETag");
      }
      parts.push({ number, etag: reply.etag ?? "" });
    }
    const stored = await this.#bucket.listParts(upload);
    const isAll = bodies.every((body, index) => stored[index]?.sizeBytes === body.length);
    if (!isAll || stored.length !== bodies.length) {
      throw new StoreError("wrong parts", false, "the store lists other parts than were sent");
    }
    // As in a commit, the ETag that the store lists replaces an empty one.
    return parts.map(({ number, etag }, at) => ({ number, etag: etag || stored[at].etag }));
  }

  async #put(part: PartToSign, body: Uint8Array): Promise<SignedReply> {
    const { addresses } = await this.#bucket.signParts([part], lifetimeMs);
    const { url, headers } = addresses[0];
    return this.#requests.put(url, headers, body, this.#stop.signal);
  }

  /**
   * Returns the skew of the store's clock. Any reply to a signed address tells it, a refusal too:
   * the skew may be why it was refused.
   */
  async #skew(key: string): Promise<number> {
    const { addresses } = await this.#bucket.signReads([{ key }], lifetimeMs);
    const { date } = await this.#requests.getRange(addresses[0], 0, 0, this.#stop.signal);
    const skewMs = Date.parse(date ?? "") - this.#clock();
    if (Math.abs(skewMs) <= clockSkewMsMax) return skewMs;
    if (Number.isNaN(skewMs)) throw new StoreError("no Date header", false, "no Date header");
    throw new StoreError(clocksDiffer, false, "clock skew");
  }

  async #complete(
    upload: StoreUpload,
    parts: readonly CompletedPart[],
    sizeBytes: number,
  ): Promise<boolean> {
    await this.#bucket.complete(upload, parts);
    const size = await this.#bucket.size(upload.key);
    if (size !== sizeBytes) throw new StoreError("wrong size", false, `the object has ${size} B`);
    try {
      await this.#bucket.complete(upload, parts);
      return true;
    } catch (error) {
      if (error instanceof UploadMissing || error instanceof StoreError) return false;
      throw error;
    }
  }

  async #download(key: string, content: Uint8Array): Promise<void> {
    const { addresses } = await this.#bucket.signReads([{ key }], lifetimeMs);
    const [first, last] = [firstPartBytes - 8, firstPartBytes];
    const { signal } = this.#stop;
    const reply = await this.#requests.getRange(addresses[0], first, last, signal);
    if (reply.status !== 206) throw new StoreError(replyCode(reply), false, "no ranged reply");
    requireSame(reply.body, content.subarray(first, last + 1));
  }

  /** An upload with the highest part number that S3 knows: some stores end at 1,000. */
  async #abortAnother(): Promise<number> {
    const upload = await this.#start(this.#key("aborted"));
    const part = { ...upload, number: usualPartsMax, sizeBytes: 1 };
    const reply = await this.#put(part, new Uint8Array(1));
    await this.#bucket.abort(upload);
    return isTaken(reply) ? usualPartsMax : smallPartsMax;
  }

  async #delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#bucket.delete(key);
      try {
        await this.#bucket.size(key);
      } catch (error) {
        if (error instanceof ObjectMissing) continue;
        throw error;
      }
      throw new StoreError("the object is still there", false, "delete had no effect");
    }
  }
}

function isTaken({ status }: SignedReply): boolean {
  return status === 200 || status === 201;
}

function requireSame(found: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(found, expected) === 0) return;
  throw new StoreError("other bytes came back", false, "other bytes came back");
}

/** The S3 code of a refusal, when it looks like one. */
function replyCode({ status, body }: SignedReply): string {
  const code = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(Buffer.from(body).toString("latin1"))?.[1];
  return code ?? `HTTP status ${status}`;
}

/** Returns a code that is safe to show; throws on errors that no store can have caused. */
function codeOf(error: unknown): string {
  if (error instanceof StoreError) return error.code;
  if (error instanceof ObjectMissing) return "the object is missing";
  if (error instanceof ObjectShort) return "the object is too short";
  if (error instanceof UploadMissing) return "the upload is missing";
  if (error instanceof PartsRejected) return "the parts were rejected";
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === "AbortError") return "timeout";
  const isOfStore = ["ForbiddenAddress", "ReplyTooLarge"].includes(name) || code !== undefined;
  if (!isOfStore) throw error;
  return storeErrorOf(error, "a signed address", false).code;
}
