import { limits } from "@lossless/protocol/limits";
import { type PartLimits, PartsRejected, StoreError, UploadMissing } from "../../buckets/bucket.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { PartPlace, PassedParts } from "../../places/stores/passed-parts.ts";
import { checkFiles, completeFiles, ObjectLost } from "./complete-files.ts";
import type { Failpoints } from "./failpoints.ts";

export interface ObjectToStore {
  key: string;
  /** Declared size; undefined when the client declared none. */
  sizeBytes: number | undefined;
  body: AsyncIterable<readonly Uint8Array[]>;
}

export interface MadeObject {
  bytes: number;
  storeVersion: string | null;
}

/** Puts bytes that come through the service into a store; resolves when they are stable there. */
export async function storeObject(
  parts: PassedParts,
  place: PartPlace,
  object: ObjectToStore,
  failpoints: Failpoints,
): Promise<MadeObject> {
  const { location, bucket } = place;
  const { key, sizeBytes, body } = object;
  const isStreamed =
    location.driver === "built-in" &&
    sizeBytes !== undefined &&
    sizeBytes > 0 &&
    sizeBytes <= bucket.limits.partBytesMax;
  if (isStreamed) {
    await parts.put({ key, sizeBytes }, body);
    await failpoints.pass("commit.afterComplete");
    return { bytes: sizeBytes, storeVersion: null };
  }
  const partBytes = passedPartBytes(sizeBytes, bucket.limits);
  let storeUpload: string | undefined;
  const sent: SentPart[] = [];
  for await (const pieces of inParts(body, partBytes)) {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    if (storeUpload === undefined) {
      if (bytes < partBytes || bytes === sizeBytes) {
        await bucket.put(key, pieces);
        const { storeVersion } = await bucket.inspect(key);
        return { bytes, storeVersion };
      }
      storeUpload = await bucket.startUpload(key);
    }
    // Bytes of undeclared number ended exactly at the end of a part.
    if (bytes === 0) break;
    const part = { key, storeUpload, number: sent.length + 1, sizeBytes: bytes };
    if (part.number > bucket.limits.partsMax) throw tooLarge();
    sent.push({ etag: await parts.send(place, part, pieces), bytes });
  }
  return complete(place, { key, storeUpload: storeUpload! }, sent, failpoints);
}

interface SentPart {
  etag: string;
  bytes: number;
}

/** Completes the object like a version's files, with the same checks. */
async function complete(
  { bucket }: PartPlace,
  { key, storeUpload }: { key: string; storeUpload: string },
  sent: readonly SentPart[],
  failpoints: Failpoints,
): Promise<MadeObject> {
  const size = sent.reduce((sum, { bytes }) => sum + bytes, 0);
  const file = { name: key, size, partSize: sent[0].bytes, parts: sent.length, key };
  const upload = { files: [file], storeUploads: [storeUpload] };
  const etags = sent.map(({ etag }) => etag);
  try {
    const checked = await checkFiles(bucket, upload, [{ name: key, etags }], [etags.map(() => "")]);
    await completeFiles(bucket, upload, checked, failpoints, async () => undefined);
    return { bytes: size, storeVersion: checked[0].storeVersion };
  } catch (error) {
    const isLost =
      error instanceof ObjectLost ||
      error instanceof PartsRejected ||
      error instanceof UploadMissing;
    throw isLost ? new StoreError("parts lost", true, error.message, error) : error;
  }
}

const mebibyte = 1_048_576;

/** Returns the size of parts: 8 MiB, or more so that the store's number of parts suffices. */
function passedPartBytes(
  sizeBytes: number | undefined,
  { partsMax, partBytesMin, partBytesMax }: PartLimits,
): number {
  const least = Math.max(limits.partBytesMin, partBytesMin);
  const needed = Math.ceil((sizeBytes ?? 0) / partsMax / mebibyte) * mebibyte;
  const bytes = Math.min(partBytesMax, Math.max(least, needed));
  if (needed > Math.min(partBytesMax, limits.passedPartBytesMax)) throw tooLarge();
  return bytes;
}

function tooLarge(): ServiceError {
  return new ServiceError("bad_request", "The file is larger than its location allows.");
}

/**
 * Splits pieces into parts of exactly this many bytes; only the last is shorter, and may be empty.
 */
async function* inParts(
  body: AsyncIterable<readonly Uint8Array[]>,
  partBytes: number,
): AsyncGenerator<Uint8Array[]> {
  let part: Uint8Array[] = [];
  let missing = partBytes;
  for await (const pieces of body) {
    for (let piece of pieces) {
      while (piece.length >= missing) {
        part.push(piece.subarray(0, missing));
        piece = piece.subarray(missing);
        yield part;
        part = [];
        missing = partBytes;
      }
      if (piece.length === 0) continue;
      part.push(piece);
      missing -= piece.length;
    }
  }
  yield part;
}
