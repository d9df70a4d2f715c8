import type { Removal } from "../rows/removal.ts";
import { isUnder, rootOf } from "../rows/object-key.ts";
import type { UploadState } from "../rows/upload.ts";
import type { LeftUpload } from "../rows/mlflow/left-uploads.ts";
import {
  type ArtifactBucket,
  StoreError,
  type StoreUpload,
  UploadMissing,
} from "../../buckets/bucket.ts";
import { isOutOfReach, type StoredLocation } from "../../places/rows/locations/location.ts";
import type { ReadOperations, Storage } from "../../storage/storage.ts";
import { inParallel } from "../../ground/in-parallel.ts";

type RemovalRead =
  | "upload.find"
  | "file.find"
  | "file.due"
  | "removal.list"
  | "removal.read"
  | "organization.list"
  | "location.list";

/** The storage that a removal needs: that of the service, or that of a command beside it. */
export interface RemovalStorage extends Pick<Storage, "write"> {
  read<Name extends RemovalRead>(
    name: Name,
    input: Parameters<ReadOperations[Name]>[1],
  ): Promise<Awaited<ReturnType<ReadOperations[Name]>>>;
}

const removedAtOnce = 16;
const lookedUpAtOnce = 200;
/**
 * Age from which a multipart upload without a row counts as stray; the row of a younger one may be
 * being written.
 */
export const strayAfterMs = 24 * 60 * 60_000;

/**
 * Removes all leftovers of an abandoned upload from its store; does nothing where the store cannot
 * be reached any more. Throws the errors of the store.
 */
export async function removeUpload(bucket: ArtifactBucket, due: Removal): Promise<void> {
  const { files, storeUploads, prefix, manifestKey, location } = due;
  if (isOutOfReach(location)) return;
  if (files === null) return removeUnder(bucket, due);
  const keys = new Set(files.map(({ key }) => key));
  const uploads: StoreUpload[] = [];
  for (const [index, { key }] of files.entries()) {
    const storeUpload = storeUploads[index];
    if (storeUpload != null) uploads.push({ key, storeUpload });
  }
  if (uploads.length < files.length) {
    const found = await unnoted(bucket, prefix, location);
    uploads.push(...found.filter(({ key }) => keys.has(key)));
  }
  await inParallel(removedAtOnce, uploads, (upload) => bucket.abort(upload));
  await inParallel(removedAtOnce, [...keys, manifestKey], (key) => bucket.delete(key));
}

/**
 * Removes objects that arrived after an earlier removal, from a begin or a commit that took long.
 */
async function removeUnder(bucket: ArtifactBucket, { prefix, location }: Removal): Promise<void> {
  const uploads = await unnoted(bucket, prefix, location);
  const left = uploads.filter(({ key }) => isUnder(prefix, key));
  await inParallel(removedAtOnce, left, (upload) => bucket.abort(upload));
  const keys: string[] = [];
  for await (const { key } of bucket.list(prefix)) if (isUnder(prefix, key)) keys.push(key);
  await inParallel(removedAtOnce, keys, (key) => bucket.delete(key));
}

/** Finds multipart uploads that the begin had no time to record. */
async function unnoted(
  bucket: ArtifactBucket,
  prefix: string,
  { capabilities }: StoredLocation,
): Promise<StoreUpload[]> {
  try {
    return await Array.fromAsync(bucket.listUploads(prefix));
  } catch (error) {
    // A store that cannot list them keeps them until its own rule for unfinished uploads acts.
    if (error instanceof StoreError && capabilities["listsUploads"] === false) return [];
    throw error;
  }
}

/** Removes the leftovers of a file or of its upload. Throws the errors of the store. */
export async function removeFile(
  bucket: ArtifactBucket,
  { key, location, wasFile }: LeftUpload,
): Promise<void> {
  if (isOutOfReach(location)) return;
  const uploads = wasFile ? [] : await unnoted(bucket, key, location);
  for (const upload of uploads) if (upload.key === key) await bucket.abort(upload);
  await bucket.delete(key);
}

/**
 * Lists all removals in the queue, also those that are not due, with the files of one upload at a
 * time.
 */
export async function* queuedRemovals(storage: RemovalStorage): AsyncIterable<Removal> {
  for (let after = ""; ;) {
    const page = await storage.read("removal.list", { after, limit: lookedUpAtOnce });
    for (const uploadId of page) {
      const removal = await storage.read("removal.read", { uploadId });
      if (removal !== null) yield removal;
    }
    if (page.length < lookedUpAtOnce) return;
    after = page.at(-1)!;
  }
}

/** A multipart upload that the store lists and no upload of ours can finish. */
export interface Stray extends StoreUpload {
  startedMs: number;
}

export interface StraySearch {
  beforeMs: number;
  queued?: ReadonlySet<string>;
  /** Whether to look at committed uploads' keys too: each listing costs a call to the store. */
  amongCommitted?: boolean;
}

/**
 * Finds multipart uploads of an organization at a location, begun before `beforeMs`, that belong to
 * no upload, or to an abandoned one that is not `queued` for removal. Where the reply to a start
 * was lost and the start repeated, a file has two, of which one is left after the commit. A
 * completed one is recognized by having no parts: one store goes on listing those, and aborting
 * them would remove the object.
 */
export async function* findStrays(
  storage: RemovalStorage,
  bucket: ArtifactBucket,
  location: StoredLocation,
  { beforeMs, queued, amongCommitted = false }: StraySearch,
): AsyncIterable<Stray> {
  const root = rootOfLocation(bucket, location);
  const judged = async function* (uploads: readonly Stray[]): AsyncIterable<Stray> {
    if (uploads.length === 0) return;
    const owners = await ownersOf(
      storage,
      uploads.map(({ key }) => key),
    );
    for (const [index, upload] of uploads.entries()) {
      const owner = owners[index];
      if (typeof owner === "string") continue;
      const isLeft = owner?.state === "abandoned" && queued?.has(owner.id) !== true;
      const mayBeSecond = amongCommitted && owner?.state === "committed";
      if (owner === null || isLeft || (mayBeSecond && (await hasNoParts(bucket, upload)))) {
        yield upload;
      }
    }
  };
  const old: Stray[] = [];
  for await (const upload of bucket.listUploads(root)) {
    if (upload.startedMs < beforeMs) old.push(upload);
    if (old.length >= lookedUpAtOnce) yield* judged(old.splice(0));
  }
  yield* judged(old);
}

/**
 * Whether an upload has no parts, so that it was never completed: an empty file has an empty part.
 */
async function hasNoParts(bucket: ArtifactBucket, upload: StoreUpload): Promise<boolean> {
  try {
    return (await bucket.listParts(upload)).length === 0;
  } catch (error) {
    if (error instanceof UploadMissing) return false;
    throw error;
  }
}

export interface FoundObject {
  key: string;
  sizeBytes: number;
  /** abandoned: of an upload no longer in the queue. unknown: in no row; never to be touched. */
  what: "abandoned" | "unknown";
}

/**
 * Finds an organization's objects at a location that belong to no version and to no upload that may
 * become one.
 */
export async function* findLeftObjects(
  storage: RemovalStorage,
  bucket: ArtifactBucket,
  location: StoredLocation,
  queued: ReadonlySet<string>,
): AsyncIterable<FoundObject> {
  let waiting: { key: string; sizeBytes: number }[] = [];
  const judged = async () => {
    const objects = waiting;
    waiting = [];
    const owners = await ownersOf(
      storage,
      objects.map(({ key }) => key),
    );
    return objects.flatMap(({ key, sizeBytes }, index): FoundObject[] => {
      const owner = owners[index];
      if (owner === null || owner === undefined) return [{ key, sizeBytes, what: "unknown" }];
      if (typeof owner === "string") return [];
      const isLeft = owner.state === "abandoned" && !queued.has(owner.id);
      return isLeft ? [{ key, sizeBytes, what: "abandoned" }] : [];
    });
  };
  for await (const object of bucket.list(rootOfLocation(bucket, location))) {
    waiting.push(object);
    if (waiting.length >= lookedUpAtOnce) yield* await judged();
  }
  if (waiting.length > 0) yield* await judged();
}

type Owner = { id: string; state: UploadState } | "file" | "known";

/**
 * Returns the owners of keys: uploads of versions, and single files, whose leftovers have a list of
 * their own.
 */
async function ownersOf(storage: RemovalStorage, keys: string[]): Promise<(Owner | null)[]> {
  const uploads = await storage.read("upload.find", { keys });
  if (!uploads.includes(null)) return uploads;
  const files = await storage.read("file.find", { keys });
  return uploads.map((upload, at) => upload ?? files[at] ?? null);
}

function rootOfLocation(bucket: ArtifactBucket, { path, organizationId }: StoredLocation): string {
  return rootOf({ readable: bucket.readableKeys, path, organizationId });
}

/**
 * Lists every location that can be reached, retired ones too: objects stored there stay the
 * service's.
 */
export async function allLocations(storage: RemovalStorage): Promise<StoredLocation[]> {
  const organizations = await storage.read("organization.list", undefined);
  const locations: StoredLocation[] = [];
  for (const { id: organizationId } of organizations) {
    const all = await storage.read("location.list", { organizationId });
    locations.push(...all.filter((location) => !isOutOfReach(location)));
  }
  return locations;
}
