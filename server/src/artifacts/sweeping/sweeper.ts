import { Lease } from "../../storage/background/lease.ts";
import type { Task } from "../../storage/background/runner.ts";
import { type ArtifactBucket, StoreError } from "../../buckets/bucket.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { type Storage, writeOne } from "../../storage/storage.ts";
import { allLocations, findStrays, removeFile, removeUpload, strayAfterMs } from "./removals.ts";

export interface SweeperSettings {
  storage: Pick<Storage, "read" | "write">;
  buckets: { bucketOf(location: StoredLocation): ArtifactBucket };
  clock: () => number;
  warn: (message: string, error: unknown) => void;
  /** Whether several nodes share the database: one of them sweeps. */
  sharesDatabase: boolean;
}

/** Counts for the operator's page. Those of the queue are read by the node that sweeps. */
export interface SweepCounts {
  removed: number;
  failed: number;
  abortedStrays: number;
  queue: { queued: number; failing: number; bytes: number } | undefined;
}

const leaseMs = 3 * 60_000;
const strayLookEveryMs = 6 * 60 * 60_000;
/**
 * Delay after a start, so that a service that is started often does not look for stray objects all
 * the time.
 */
const firstStrayLookMs = 10 * 60_000;
const batch = 50;
/** Interval of forgetting; the rows concerned have ended weeks ago. */
const forgetEveryMs = 60 * 60_000;
const forgetBatch = 500;

/**
 * Removes leftovers of abandoned uploads from their stores, and aborts unknown uploads. Removes
 * nothing else: an object goes only when the database calls its upload abandoned.
 */
export class Sweeper implements Task {
  readonly failure = "Sweeping failed; it is tried again in a minute.";
  readonly everyMs = 60_000;
  readonly jitterMs = 10_000;
  readonly lease: Lease | undefined;
  readonly figures: SweepCounts = { removed: 0, failed: 0, abortedStrays: 0, queue: undefined };
  readonly #settings: SweeperSettings;
  #nextStrayLookMs: number;
  #nextForgettingMs = 0;
  #stopped: AbortSignal | undefined;

  constructor(settings: SweeperSettings) {
    const { storage, clock, sharesDatabase } = settings;
    this.#settings = settings;
    this.#nextStrayLookMs = clock() + firstStrayLookMs;
    if (!sharesDatabase) return;
    this.lease = new Lease("sweep", leaseMs, (claim) =>
      writeOne(storage, "background.lease", claim),
    );
  }

  /**
   * Runs one round: expired and due uploads; every hour sessions, sign-ins and uploads that ended
   * long ago; every six hours unknown uploads.
   */
  async round(stopped?: AbortSignal): Promise<void> {
    const { storage, clock } = this.#settings;
    this.#stopped = stopped;
    while (!this.#isStopped) {
      if ((await writeOne(storage, "upload.expire", { limit: batch })) < batch) break;
    }
    await this.#removeDue();
    await writeOne(storage, "file.expire", undefined);
    await this.#removeDueFiles();
    this.figures.queue = await storage.read("removal.counts", undefined);
    await this.#forgetEnded();
    if (clock() < this.#nextStrayLookMs || this.#isStopped) return;
    this.#nextStrayLookMs = clock() + strayLookEveryMs;
    await this.#abortStrays();
  }

  idle(): void {
    this.figures.queue = undefined;
  }

  get #isStopped(): boolean {
    return this.#stopped?.aborted === true;
  }

  /** Checks the lease again, in the course of a long round. */
  async #leads(): Promise<boolean> {
    return this.lease === undefined || (await this.lease.held());
  }

  /**
   * Removes due uploads. A store that fails is tried once in a round: the others have to get their
   * turn.
   */
  async #removeDue(): Promise<void> {
    const { storage } = this.#settings;
    const failing = new Set<string>();
    for (;;) {
      const due = await storage.read("removal.due", { limit: batch, without: [...failing] });
      for (const { id, locationId } of due) {
        if (this.#isStopped) return;
        if (!failing.has(locationId)) await this.#remove(id, failing);
      }
      if (due.length < batch || !(await this.#leads())) return;
    }
  }

  async #remove(uploadId: string, failing: Set<string>): Promise<void> {
    const { storage, buckets } = this.#settings;
    const due = await storage.read("removal.read", { uploadId });
    if (due === null) return;
    const { location, notBeforeMs } = due;
    try {
      await removeUpload(buckets.bucketOf(location), due);
    } catch (error) {
      if (this.#isStopped) return;
      this.#warn(`The upload ${uploadId} cannot be removed now; it is tried again later.`, error);
      if (error instanceof StoreError) failing.add(location.id);
      this.figures.failed += 1;
      await writeOne(storage, "removal.failed", { uploadId });
      return;
    }
    await writeOne(storage, "removal.done", { uploadId, notBeforeMs });
    this.figures.removed += 1;
  }

  /** Removes leftovers of single files in the same way. */
  async #removeDueFiles(): Promise<void> {
    const { storage, buckets } = this.#settings;
    const failing = new Set<string>();
    for (;;) {
      const due = await storage.read("file.due", { limit: batch, without: [...failing] });
      for (const left of due) {
        if (this.#isStopped) return;
        const { id, location } = left;
        if (failing.has(location.id)) continue;
        try {
          await removeFile(buckets.bucketOf(location), left);
          await writeOne(storage, "file.removed", { id });
          this.figures.removed += 1;
        } catch (error) {
          if (this.#isStopped) return;
          this.#warn(`The file ${id} cannot be removed now; it is tried again later.`, error);
          if (error instanceof StoreError) failing.add(location.id);
          this.figures.failed += 1;
          await writeOne(storage, "file.notRemoved", { id });
        }
      }
      if (due.length < batch || !(await this.#leads())) return;
    }
  }

  async #forgetEnded(): Promise<void> {
    const { storage, clock } = this.#settings;
    if (clock() < this.#nextForgettingMs) return;
    this.#nextForgettingMs = clock() + forgetEveryMs;
    while (!this.#isStopped) {
      const forgotten = await writeOne(storage, "people.forgetEnded", { limit: forgetBatch });
      if (forgotten < forgetBatch) break;
      if (!(await this.#leads())) return;
    }
    while (!this.#isStopped) {
      const forgotten = await writeOne(storage, "upload.forget", { limit: forgetBatch });
      if (forgotten < forgetBatch || !(await this.#leads())) return;
    }
  }

  async #abortStrays(): Promise<void> {
    const { storage, buckets, clock } = this.#settings;
    for (const location of await allLocations(storage)) {
      if (this.#isStopped || !(await this.#leads())) return;
      if (location.capabilities["listsUploads"] === false) continue;
      try {
        const bucket = buckets.bucketOf(location);
        const beforeMs = clock() - strayAfterMs;
        for await (const stray of findStrays(storage, bucket, location, { beforeMs })) {
          await bucket.abort(stray);
          this.figures.abortedStrays += 1;
          if (this.#isStopped) return;
        }
      } catch (error) {
        this.#warn(`The uploads at the location ${location.id} cannot be checked.`, error);
      }
    }
  }

  #warn(message: string, error: unknown): void {
    if (!this.#isStopped) this.#settings.warn(message, error);
  }
}
