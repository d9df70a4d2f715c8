import type { FileAddressReply } from "@lossless/protocol";
import { errors } from "@lossless/protocol/errors";
import { limits } from "@lossless/protocol/limits";
import type { StoredVersion } from "../rows/version.ts";
import type { UploadFile } from "../rows/upload.ts";
import { ObjectMissing, ObjectShort, StoreError } from "../../buckets/bucket.ts";
import { lastWord } from "../../ground/attachment.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { FairShares } from "../../ground/fair-shares.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { writeOne } from "../../storage/storage.ts";
import { atStore } from "../../places/stores/store-failure.ts";
import type { WalkContext } from "./walk-context.ts";

/** Bytes of files that are looked at, until their readers have taken them. */
export const filePartsBytesMax = 16 * limits.filePartBytesMax;

export interface FileName {
  organizationId: string;
  artifact: string;
  /** A name or `latest`. */
  version: string;
  file: string;
}

export interface ReadFilePart extends FileName {
  /** Holder of the share of memory that it takes. */
  holder: string;
  offset: number;
  length: number;
}

/** Some bytes of a file; disposing it gives back the memory that they take. */
export interface FilePart extends Disposable {
  bytes: Uint8Array;
  /** Size of the whole file. */
  sizeBytes: number;
}

/** Signs one file, to be saved under the last word of its name: one read, counted first. */
export async function fileAddress(context: WalkContext, name: FileName): Promise<FileAddressReply> {
  const { version, file } = await findFile(context, name);
  const bucket = context.buckets.bucketOf(version.location);
  const named = { ...file, fileName: lastWord(file.name) };
  const sign = () => bucket.signReads([named], limits.signedUrlLifetimeMs);
  const { addresses, expiresAtMs } = await atStore("sign the file", sign);
  const { organizationId } = name;
  await countRead(context, { organizationId, location: version.location }, file.size);
  return { url: addresses[0], expiresAtMs, bytes: file.size };
}

/** Reads some bytes of a file through the service: counted first, as one read of these bytes. */
export async function readFilePart(
  context: WalkContext,
  shares: FairShares,
  { offset, length, holder, ...name }: ReadFilePart,
): Promise<FilePart> {
  const { version, file } = await findFile(context, name);
  const object = { ...file, organizationId: name.organizationId, location: version.location };
  return readObjectPart(context, shares, { object, holder, offset, length });
}

/** A file's object at its location, and its owner. */
export interface PlacedObject {
  organizationId: string;
  location: StoredLocation;
  key: string;
  storeVersion?: string | null;
  size: number;
}

/** The same of a file that was found. */
export async function readObjectPart(
  context: WalkContext,
  shares: FairShares,
  {
    object,
    holder,
    offset,
    length,
  }: { object: PlacedObject; holder: string; offset: number; length: number },
): Promise<FilePart> {
  const most = Math.min(length, limits.filePartBytesMax, Math.max(0, object.size - offset));
  const share = shares.take(holder, most);
  if (share === undefined) {
    throw new ServiceError("overloaded", "Too many files are being viewed at once; try again.");
  }
  try {
    if (most > 0) await countRead(context, object, most);
    const bytes = most === 0 ? new Uint8Array(0) : await readBytes(context, object, offset, most);
    return { bytes, sizeBytes: object.size, [Symbol.dispose]: () => share[Symbol.dispose]() };
  } catch (error) {
    share[Symbol.dispose]();
    throw error;
  }
}

async function findFile(
  { storage }: WalkContext,
  { file: wanted, ...name }: FileName,
): Promise<{ version: StoredVersion; file: UploadFile }> {
  const version = await storage.read("version.read", name);
  const file = version.files.find((one) => one.name === wanted);
  if (file !== undefined) return { version, file };
  throw new ServiceError("not_found", "The version has no such file.");
}

async function countRead(
  { storage }: WalkContext,
  { organizationId, location }: Pick<PlacedObject, "organizationId" | "location">,
  bytes: number,
): Promise<void> {
  await writeOne(storage, "usage.count", {
    organizationId,
    place: {},
    reads: [{ location, bytes }],
  });
}

async function readBytes(
  { buckets }: WalkContext,
  { location, key, storeVersion }: PlacedObject,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  const bucket = buckets.bucketOf(location);
  return atStore("give the file", async () => {
    try {
      return await bucket.read(key, offset, length, storeVersion);
    } catch (error) {
      throw isDamage(error)
        ? new ServiceError("data_corrupted", errors.data_corrupted.sentence)
        : error;
    }
  });
}

function isDamage(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === "damaged";
  return error instanceof ObjectMissing || error instanceof ObjectShort;
}
