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

/** The store has neither the upload nor a whole object under its key: nothing can come of it. */
export class ObjectLost extends Error {
  override name = "ObjectLost";
}

/** What the store holds of a file. */
export interface CheckedFile {
  /** The parts as the store shows them. */
  parts: CompletedPart[];
  /** An earlier try made the object; it stays, the key is this upload's alone. */
  isCompleted: boolean;
  /** The store's name of the object (ArtifactBucket.complete); null before, or for none. */
  storeVersion: string | null;
}

/**
 * Compares what was sent with what the store holds. All files are looked at before the first is
 * completed: a part that is missing or wrong can be sent again, which a completed file does not
 * allow. What is completed has no parts: there `accepted` counts, which the store held then.
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
 * Makes an object of every file's parts, and notes the store's name of it in `checked`.
 * `requireAlive` is asked now and then: it throws when the upload was abandoned, and nothing more
 * is completed.
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
      // Another process, or a call whose reply was lost, may have completed it: then it is whole.
      const isOver = error instanceof UploadMissing || error instanceof PartsRejected;
      if (!isOver) throw error;
      if (error instanceof PartsRejected && !(await isStored(bucket, file))) throw error;
    }
    const found = await requireObject(bucket, file);
    // The reply that made it is believed, when it came: what is there now may be newer.
    own.storeVersion = made ?? found.storeVersion;
    await failpoints.pass("commit.afterComplete");
  });
}

function storeUploadOf({ key }: UploadFile, id: string | null | undefined): StoreUpload {
  if (id == null) throw new Error(`BUG: ${key} is completed and was never begun`);
  return { key, storeUpload: id };
}

/** Nobody can resend these parts: a wrong ETag is a wrong request, and what was accepted stands. */
function checkAccepted(
  file: UploadFile,
  etags: readonly string[],
  accepted: readonly string[],
): CompletedPart[] {
  return etags.map((text, at) => {
    const [etag, first] = [unquotedEtag(text), accepted[at] ?? ""];
    if (etag !== "" && first !== "" && etag !== first) {
      const what = `Part ${at + 1} of the file ${JSON.stringify(file.name)}`;
      throw new PartsRejected(`${what} was committed before with another ETag.`);
    }
    return { number: at + 1, etag: first === "" ? etag : first };
  });
}

/**
 * An ETag may be left empty: then what the store lists counts (a client that resumes). A store
 * whose list has none (Azure) compares nothing but sizes.
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
