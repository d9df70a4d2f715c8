import type { Removal } from "../rows/removal.ts";
import { type ArtifactBucket, StoreError } from "../../buckets/bucket.ts";
import { DatabaseError } from "../../database/database.ts";
import type { LeftUpload } from "../rows/mlflow/left-uploads.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { SealBroken } from "../../ground/sealing.ts";
import { writeOne } from "../../storage/storage.ts";
import {
  allLocations,
  findLeftObjects,
  findStrays,
  queuedRemovals,
  type RemovalStorage,
  removeFile,
  removeUpload,
  strayAfterMs,
} from "./removals.ts";

/** Id and name of the location of an object. */
interface NamedLocation {
  location: string;
  locationName: string;
}

export interface GarbageReport {
  /**
   * Uploads that were pending too long and are now abandoned; their leftovers are removed ten
   * minutes later.
   */
  expired: number;
  /** Leftovers of abandoned uploads. waiting: a completion may run, the service removes it. */
  removals: (NamedLocation & {
    upload: string;
    reason: string;
    files: number;
    bytes: number;
    state: "removed" | "to be removed" | "waiting" | "failed";
  })[];
  /** Multipart uploads that match no unfinished upload of the database. */
  strays: (NamedLocation & { key: string; storeUpload: string; started: string })[];
  /** abandoned: removed; unknown to the database: never touched, it may be an older copy. */
  objects: (NamedLocation & { key: string; bytes: number; what: "abandoned" | "unknown" })[];
  /** Locations and objects that could not be listed or removed, a sentence each. */
  problems: string[];
}

export interface GarbageSettings {
  storage: RemovalStorage;
  /** Counts the uploads that are pending for too long. */
  countExpired: () => Promise<number>;
  buckets: { bucketOf(location: StoredLocation): ArtifactBucket };
  clock: () => number;
  dryRun: boolean;
}

/** The code of a call to a connected cloud without a known token issuer: no store has failed. */
export const noIssuerCode = "no issuer";

const expiredAtOnce = 100;
const filesAtOnce = 500;
const filesShownMax = 100_000;

const forbidden: ReadonlySet<string> = new Set(["forbidden address", "unknown or forbidden host"]);
const allowing =
  "Private and loopback addresses are called only when the service's provision file allows them " +
  "(egress.allowPrivate): give it with --provision FILE or LOSSLESS_PROVISION.";

/**
 * Reports all that is stored and belongs to no version; without `dryRun` also removes at once what
 * the database calls abandoned.
 */
export async function collectGarbage(settings: GarbageSettings): Promise<GarbageReport> {
  const collection = new Collection(settings);
  await collection.expire();
  await collection.removeQueued();
  await collection.removeFiles();
  for (const location of await allLocations(settings.storage)) await collection.look(location);
  return collection.report;
}

class Collection {
  readonly report: GarbageReport = {
    expired: 0,
    removals: [],
    strays: [],
    objects: [],
    problems: [],
  };
  readonly #settings: GarbageSettings;
  readonly #queued = new Set<string>();

  constructor(settings: GarbageSettings) {
    this.#settings = settings;
  }

  async expire(): Promise<void> {
    const { storage, dryRun, countExpired } = this.#settings;
    if (dryRun) {
      this.report.expired = await countExpired();
      return;
    }
    for (let last = expiredAtOnce; last === expiredAtOnce;) {
      last = await writeOne(storage, "upload.expire", { limit: expiredAtOnce });
      this.report.expired += last;
    }
  }

  async removeQueued(): Promise<void> {
    const { storage, dryRun, clock } = this.#settings;
    for await (const due of queuedRemovals(storage)) {
      this.#queued.add(due.id);
      const isWaiting = due.attempts === 0 && due.notBeforeMs > clock();
      const state = isWaiting ? "waiting" : dryRun ? "to be removed" : await this.#remove(due);
      const { id: upload, reason } = due;
      const files = due.files ?? [];
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      const location = namedLocation(due.location);
      this.report.removals.push({ ...location, upload, reason, files: files.length, bytes, state });
    }
  }

  /** Removes leftovers of single files: replaced, deleted, or of an interrupted PUT. */
  async removeFiles(): Promise<void> {
    const { storage, dryRun } = this.#settings;
    if (!dryRun) await writeOne(storage, "file.expire", undefined);
    for (;;) {
      // Failed removals are due later: no round sees them twice.
      const limit = dryRun ? filesShownMax : filesAtOnce;
      const due = await storage.read("file.due", { limit, without: [] });
      for (const left of due) {
        const state = dryRun ? "to be removed" : await this.#removeFile(left);
        const { id: upload, bytes } = left;
        const shown = { upload, reason: "file", files: 1, bytes, state } as const;
        this.report.removals.push({ ...namedLocation(left.location), ...shown });
      }
      if (dryRun || due.length < limit) return;
    }
  }

  async #removeFile(left: LeftUpload): Promise<"removed" | "failed"> {
    const { storage, buckets } = this.#settings;
    const { id, location } = left;
    try {
      await removeFile(buckets.bucketOf(location), left);
    } catch (error) {
      this.#problem(location, `did not let the file ${id} be removed`, error);
      await writeOne(storage, "file.notRemoved", { id });
      return "failed";
    }
    await writeOne(storage, "file.removed", { id });
    return "removed";
  }

  /** Looks at the objects under the service's prefix in the location's store. */
  async look(location: StoredLocation): Promise<void> {
    try {
      const bucket = this.#settings.buckets.bucketOf(location);
      if (location.capabilities["listsUploads"] !== false) await this.#strays(bucket, location);
      await this.#objects(bucket, location);
    } catch (error) {
      this.#problem(location, "cannot be checked", error);
    }
  }

  async #remove(due: Removal): Promise<"removed" | "failed"> {
    const { storage, buckets } = this.#settings;
    const { id: uploadId, location, notBeforeMs } = due;
    try {
      await removeUpload(buckets.bucketOf(location), due);
    } catch (error) {
      this.#problem(location, `did not let the upload ${uploadId} be removed`, error);
      if (!(error instanceof StoreError && error.code === noIssuerCode)) {
        await writeOne(storage, "removal.failed", { uploadId });
      }
      return "failed";
    }
    await writeOne(storage, "removal.done", { uploadId, notBeforeMs });
    return "removed";
  }

  async #strays(bucket: ArtifactBucket, location: StoredLocation): Promise<void> {
    const { storage, clock, dryRun } = this.#settings;
    const beforeMs = clock() - strayAfterMs;
    const search = { beforeMs, queued: this.#queued, amongCommitted: true };
    const found = findStrays(storage, bucket, location, search);
    for await (const { key, storeUpload, startedMs } of found) {
      if (!dryRun) await bucket.abort({ key, storeUpload });
      const started = new Date(startedMs).toISOString();
      this.report.strays.push({ ...namedLocation(location), key, storeUpload, started });
    }
  }

  async #objects(bucket: ArtifactBucket, location: StoredLocation): Promise<void> {
    const { storage, dryRun } = this.#settings;
    for await (const object of findLeftObjects(storage, bucket, location, this.#queued)) {
      const { key, sizeBytes: bytes, what } = object;
      if (!dryRun && what === "abandoned") await bucket.delete(key);
      this.report.objects.push({ ...namedLocation(location), key, bytes, what });
    }
  }

  #problem(location: StoredLocation, what: string, error: unknown): void {
    const isExpected =
      error instanceof StoreError || error instanceof DatabaseError || error instanceof SealBroken;
    if (!isExpected) throw error;
    const isForbidden = error instanceof StoreError && forbidden.has(error.code);
    this.report.problems.push(
      `The location ${JSON.stringify(location.name)} (${location.id}) ${what}: ${error.message}` +
        (isForbidden ? ` ${allowing}` : ""),
    );
  }
}

function namedLocation({ id, name }: StoredLocation): NamedLocation {
  return { location: id, locationName: name };
}
