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

/** What removing needs of the storage: that of the service, or a command's own beside it. */
export interface RemovalStorage extends Pick<Storage, "write"> {
  read<Name extends RemovalRead>(
    name: Name,
    input: Parameters<ReadOperations[Name]>[1],
  ): Promise<Awaited<ReturnType<ReadOperations[Name]>>>;
}

const removedAtOnce = 16;
const lookedUpAtOnce = 200;
/** A multipart upload without a row, younger than this, may be one whose row is being written. */
export const strayAfterMs = 24 * 60 * 60_000;

/**
 * Removes everything that an abandoned upload left in its store; nothing where nobody can reach it
 * any more. Throws what the store throws.
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

/** It was removed before, and something came later: a begin or a commit that took long. */
async function removeUnder(bucket: ArtifactBucket, { prefix, location }: Removal): Promise<void> {
  const uploads = await unnoted(bucket, prefix, location);
  const left = uploads.filter(({ key }) => isUnder(prefix, key));
  await inParallel(removedAtOnce, left, (upload) => bucket.abort(upload));
  const keys: string[] = [];
  for await (const { key } of bucket.list(prefix)) if (isUnder(prefix, key)) keys.push(key);
  await inParallel(removedAtOnce, keys, (key) => bucket.delete(key));
}

/** The begin died before it could write down what the store had begun. */
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

/** Removes what a file, or the sending of one, has left. Throws what the store throws. */
export async function removeFile(
  bucket: ArtifactBucket,
  { key, location, wasFile }: LeftUpload,
): Promise<void> {
  if (isOutOfReach(location)) return;
  const uploads = wasFile ? [] : await unnoted(bucket, key, location);
  for (const upload of uploads) if (upload.key === key) await bucket.abort(upload);
  await bucket.delete(key);
}

/** Everything in the queue, also what is not due yet, with the files of one upload at a time. */
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
  /** It says whether to look at committed uploads' keys too: each the store lists costs a call. */
  amongCommitted?: boolean;
}

/**
 * Multipart uploads of an organization at a location, begun before `beforeMs`, that belong to no
 * upload, or to an abandoned one that is not `queued` for removal. Where the reply to a start was
 * lost and it was repeated, a file has two, of which one stays behind the commit. It is told by
 * having no parts: one store goes on listing those that were completed, and aborting them would
 * take the object with it.
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

/** What has no parts was never completed: an empty file has an empty one. */
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

/** They are an organization's objects at a location in no version or upload that may become one. */
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

/** Uploads of versions, and single files, which have a list of their own of what is to go. */
async function ownersOf(storage: RemovalStorage, keys: string[]): Promise<(Owner | null)[]> {
  const uploads = await storage.read("upload.find", { keys });
  if (!uploads.includes(null)) return uploads;
  const files = await storage.read("file.find", { keys });
  return uploads.map((upload, at) => upload ?? files[at] ?? null);
}

function rootOfLocation(bucket: ArtifactBucket, { path, organizationId }: StoredLocation): string {
  return rootOf({ readable: bucket.readableKeys, path, organizationId });
}

/** Every location that can be reached, retired ones too: what is stored there stays ours. */
export async function allLocations(storage: RemovalStorage): Promise<StoredLocation[]> {
  const organizations = await storage.read("organization.list", undefined);
  const locations: StoredLocation[] = [];
  for (const { id: organizationId } of organizations) {
    const all = await storage.read("location.list", { organizationId });
    locations.push(...all.filter((location) => !isOutOfReach(location)));
  }
  return locations;
}
