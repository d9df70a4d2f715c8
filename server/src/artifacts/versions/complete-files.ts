import type { SentFile } from "../rows/commit.ts";
import type { StoredUpload, UploadFile } from "../rows/upload.ts";
import {
  type ArtifactBucket,
  type CompletedPart,
  ObjectMissing,
  PartsRejected,
  type StoredObject,
  type StoredPart,
  type StoreUpload,
  UploadMissing,
} from "../../buckets/bucket.ts";
import { unquotedEtag } from "../../ground/etag.ts";
import { inParallel } from "../../ground/in-parallel.ts";
import type { Failpoints } from "./failpoints.ts";
import { partBytes } from "./part-plan.ts";

const filesAtOnce = 16;
const aliveEveryFiles = 100;

/**
 * Thrown when the store has neither the upload nor a whole object under its key: the upload is
 * lost.
 */
export class ObjectLost extends Error {
  override name = "ObjectLost";
}

/** A file as the store holds it. */
export interface CheckedFile {
  /** The parts as the store shows them. */
  parts: CompletedPart[];
  /** Whether an earlier attempt made the object; it stays, since the key is this upload's alone. */
  isCompleted: boolean;
  /**
   * The store's version of the object (ArtifactBucket.complete); null before, or where there is
   * none.
   */
  storeVersion: string | null;
}

/**
 * Compares the sent parts with the store's. All files are checked before the first is completed: a
 * part that is missing or wrong can be sent again, but not for a completed file. A completed file
 * has no parts: there `accepted` counts, the ETags that the store held then.
 */
export async function checkFiles(
  bucket: ArtifactBucket,
  { files, storeUploads }: Pick<StoredUpload, "files" | "storeUploads">,
  sent: readonly SentFile[],
  accepted: readonly string[][],
): Promise<CheckedFile[]> {
  const etags = new Map(sent.map((file) => [file.name, file.etags]));
  const checked: CheckedFile[] = files.map(() => ({
    parts: [],
    isCompleted: false,
    storeVersion: null,
  }));
  await inParallel(filesAtOnce, files.entries(), async ([index, file]) => {
    const expected = etags.get(file.name)!;
    try {
      const stored = await bucket.listParts(storeUploadOf(file, storeUploads[index]));
      checked[index].parts = checkParts(file, expected, stored);
    } catch (error) {
      if (!(error instanceof UploadMissing)) throw error;
      const { storeVersion } = await requireObject(bucket, file);
      const parts = checkAccepted(file, expected, accepted[index]);
      checked[index] = { parts, isCompleted: true, storeVersion };
    }
  });
  return checked;
}

/**
 * Completes the objects of all files, and records their versions in `checked`. `requireAlive` is
 * called from time to time: it throws when the upload was abandoned, and no more files are
 * completed.
 */
export async function completeFiles(
  bucket: ArtifactBucket,
  { files, storeUploads }: Pick<StoredUpload, "files" | "storeUploads">,
  checked: readonly CheckedFile[],
  failpoints: Failpoints,
  requireAlive: () => Promise<void>,
): Promise<void> {
  let alive = Promise.resolve();
  await inParallel(filesAtOnce, files.entries(), async ([index, file]) => {
    const own = checked[index];
    if (own.isCompleted) return;
    if (index > 0 && index % aliveEveryFiles === 0) alive = requireAlive();
    await alive;
    let made: string | null = null;
    try {
      made = await bucket.complete(storeUploadOf(file, storeUploads[index]), own.parts);
    } catch (error) {
      // Another process, or a call whose reply was lost, may have completed it: then the file is
      // whole.
      const isOver = error instanceof UploadMissing || error instanceof PartsRejected;
      if (!isOver) throw error;
      if (error instanceof PartsRejected && !(await isStored(bucket, file))) throw error;
    }
    const found = await requireObject(bucket, file);
    // The version in the reply to the completion is preferred: the present one may be newer.
    own.storeVersion = made ?? found.storeVersion;
    await failpoints.pass("commit.afterComplete");
  });
}

function storeUploadOf({ key }: UploadFile, id: string | null | undefined): StoreUpload {
  if (id == null) throw new Error(`BUG: ${key} is completed and was never begun`);
  return { key, storeUpload: id };
}

/**
 * Checks the ETags of a completed file. Its parts cannot be sent again: a wrong ETag is a bad
 * request, and the accepted ones stand.
 */
function checkAccepted(
  file: UploadFile,
  etags: readonly string[],
  accepted: readonly string[],
): CompletedPart[] {
  return etags.map((text, at) => {
    const [etag, first] = [unquotedEtag(text), accepted[at] ?? ""];
    if (etag !== "" && first !== "" && etag !== first) {
      const what = `Part ${at + 1} of the file ${JSON.stringify(file.name)}`;
      throw new PartsRejected(`${what} was committed earlier with another ETag.`);
    }
    return { number: at + 1, etag: first === "" ? etag : first };
  });
}

/**
 * Checks the ETags of parts. An ETag may be left empty: then the one that the store lists counts (a
 * client that resumes). Where the store's list has none (Azure), only sizes are compared.
 */
function checkParts(
  file: UploadFile,
  etags: readonly string[],
  stored: readonly StoredPart[],
): CompletedPart[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  return etags.map((text, at) => {
    const number = at + 1;
    const [part, expected] = [byNumber.get(number), partBytes(file, number)];
    const what = `Part ${number} of the file ${JSON.stringify(file.name)}`;
    if (part === undefined) throw new PartsRejected(`${what} was not sent.`);
    if (part.sizeBytes !== expected) {
      throw new PartsRejected(`${what} has ${part.sizeBytes} bytes instead of ${expected}.`);
    }
    const etag = unquotedEtag(text);
    if (etag !== "" && part.etag !== "" && etag !== part.etag) {
      throw new PartsRejected(`${what} has another ETag in the store: send the part again.`);
    }
    return { number, etag: part.etag };
  });
}

async function isStored(bucket: ArtifactBucket, { key }: UploadFile): Promise<boolean> {
  try {
    await bucket.size(key);
    return true;
  } catch (error) {
    if (error instanceof ObjectMissing) return false;
    throw error;
  }
}

/** The object of this upload, whole. */
async function requireObject(
  bucket: ArtifactBucket,
  { name, key, size }: UploadFile,
): Promise<StoredObject> {
  const quoted = JSON.stringify(name);
  let stored: StoredObject;
  try {
    stored = await bucket.inspect(key);
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    throw new ObjectLost(`The store no longer has the upload of the file ${quoted}: begin again.`);
  }
  if (stored.sizeBytes === size) return stored;
  throw new ObjectLost(
    `The store made ${stored.sizeBytes} bytes of the file ${quoted} instead of ${size}: begin again.`,
  );
}
