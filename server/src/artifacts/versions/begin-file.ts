import { keysOf } from "../rows/object-key.ts";
import type { ArtifactBucket } from "../../buckets/bucket.ts";
import type { FileName } from "../rows/mlflow/file.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { chooseLocation } from "../../places/rows/locations/placement.ts";
import { writeOne } from "../../storage/storage.ts";
import type { WalkContext } from "./walk-context.ts";

export interface BegunFile {
  uploadId: string;
  key: string;
  location: StoredLocation;
  bucket: ArtifactBucket;
}

/** A location may be retired between the choice and the transaction; not this often. */
const choicesMax = 10;
/** Folder in buckets, between the organization and the owner. */
const folderInBucket = "mlflow";

/**
 * Chooses the location of a file without a placement; undefined when the organization has no
 * fallback location.
 */
export async function choiceFor(
  { storage }: Pick<WalkContext, "storage">,
  organizationId: string,
): Promise<StoredLocation | undefined> {
  const locations = await storage.read("location.list", { organizationId });
  return chooseLocation(locations, { cloud: "", region: "" }, [])?.candidate.location;
}

/**
 * Writes down that a file will be sent, before its store hears of it, under a key that was never
 * used. `check` throws where the location cannot take it.
 */
export async function beginFileUpload(
  context: WalkContext,
  { organizationId, owner, path, sizeBytes = 0 }: FileName & { sizeBytes?: number | undefined },
  check: (location: StoredLocation, bucket: ArtifactBucket) => void = () => undefined,
): Promise<BegunFile> {
  const { storage, buckets, clock } = context;
  for (let attempt = 0; attempt < choicesMax; attempt++) {
    const location = await choiceFor(context, organizationId);
    if (location === undefined) {
      throw new ServiceError(
        "not_ready",
        "No location can store the file: the organization has no fallback location.",
      );
    }
    const bucket = buckets.bucketOf(location);
    check(location, bucket);
    const uploadId = newId(clock());
    const name = { organizationId, owner, path };
    const key = keyOf({ location, bucket, uploadId }, name);
    const stored = { uploadId, locationId: location.id, key, bytes: sizeBytes };
    if (await writeOne(storage, "file.begin", { ...name, ...stored }))
      return { uploadId, key, location, bucket };
  }
  throw new ServiceError("not_ready", "The locations change too fast to choose one; try again.");
}

/** The key of a file that is sent under this id. */
export function keyOf(
  { location, bucket, uploadId }: Omit<BegunFile, "key">,
  { organizationId, owner, path }: FileName,
): string {
  const place = { readable: bucket.readableKeys, path: location.path, organizationId };
  const scheme = { ...place, artifact: folderInBucket, version: owner, uploadId };
  const { prefix, names } = keysOf(scheme, [path]);
  return prefix + names[0];
}
