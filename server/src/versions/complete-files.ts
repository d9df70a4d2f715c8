import type { SentFile } from "../artifacts/commit.ts";
import type { StoredUpload, UploadFile } from "../artifacts/upload.ts";
import { ObjectMissing, PartsRejected, UploadMissing } from "../buckets/bucket.ts";
import type { ArtifactBucket, CompletedPart, StoredPart } from "../buckets/bucket.ts";
import { atOnce } from "./at-once.ts";
import type { Failpoints } from "./failpoints.ts";
import { partBytes } from "./part-plan.ts";

const filesAtOnce = 16;

/** The store has neither the upload nor a whole object under its key: nothing can be made of it any more. */
export class ObjectLost extends Error {
  override name = "ObjectLost";
}

/**
 * Makes an object of every file's parts; gives the parts as the store shows them. All files are looked at before the
 * first is completed: a part that is missing or wrong can be sent again, which a completed file does not allow.
 * What an earlier try completed stays: the keys are this upload's alone.
 */
export async function completeFiles(
  bucket: ArtifactBucket,
  { files, storeUploads }: Pick<StoredUpload, "files" | "storeUploads">,
  sent: readonly SentFile[],
  failpoints: Failpoints,
): Promise<CompletedPart[][]> {
  const etags = new Map(sent.map((file) => [file.name, file.etags]));
  const parts: CompletedPart[][] = files.map(() => []);
  const completed = new Set<number>();
  const storeUpload = (index: number) => {
    const [{ key }, id] = [files[index], storeUploads[index] ?? null];
    if (id === null) throw new Error(`BUG: ${key} is completed and was never begun`);
    return { key, storeUpload: id };
  };
  await atOnce(filesAtOnce, files, async (file, index) => {
    const expected = etags.get(file.name)!;
    try {
      const stored = await bucket.listParts(storeUpload(index));
      parts[index] = checkParts(file, expected, stored);
    } catch (error) {
      if (!(error instanceof UploadMissing)) throw error;
      await requireObject(bucket, file);
      completed.add(index);
      parts[index] = expected.map((etag, at) => ({ number: at + 1, etag: unquoted(etag) }));
    }
  });
  await failpoints.pass("commit.afterList");
  await atOnce(filesAtOnce, files, async (file, index) => {
    if (completed.has(index)) return;
    try {
      await bucket.complete(storeUpload(index), parts[index]);
    } catch (error) {
      // Another process, or a call before this one whose reply was lost, may have completed it: then it is whole.
      const isOver = error instanceof UploadMissing || error instanceof PartsRejected;
      if (!isOver) throw error;
      if (error instanceof PartsRejected && !(await isStored(bucket, file))) throw error;
    }
    await requireObject(bucket, file);
    await failpoints.pass("commit.afterComplete");
  });
  return parts;
}

/** An ETag may be left empty: then what the store lists counts (stores that give none; a client that resumes). */
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
    const etag = unquoted(text);
    if (etag !== "" && etag !== part.etag) {
      throw new PartsRejected(`${what} has another ETag in the store: send the part again.`);
    }
    return { number, etag: part.etag };
  });
}

function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, "$1");
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
): Promise<void> {
  const quoted = JSON.stringify(name);
  let stored: number;
  try {
    stored = await bucket.size(key);
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    throw new ObjectLost(`The store no longer has the upload of the file ${quoted}: begin again.`);
  }
  if (stored === size) return;
  throw new ObjectLost(
    `The store made ${stored} bytes of the file ${quoted} instead of ${size}: begin again.`,
  );
}
