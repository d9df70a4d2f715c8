import type { SentBytesReply } from "@lossless/protocol";
import type { UploadName } from "../rows/commit.ts";
import type { FileToLookAt, UploadToLookAt } from "../rows/sent-files.ts";
import { type ArtifactBucket, UploadMissing } from "../../buckets/bucket.ts";
import { inParallel } from "../../ground/in-parallel.ts";
import { atStore } from "../../places/stores/store-failure.ts";
import type { WalkContext } from "./walk-context.ts";

/** Time for which all readers get the same answer: the store is asked for each file. */
const goodForMs = 3_000;
/** Maximum of uploads whose last answer is kept. */
const keptMax = 200;
const filesAtOnce = 8;

interface Look {
  /** When the look ended; undefined while it goes on. */
  doneAtMs: number | undefined;
  answer: Promise<SentBytesReply>;
  /** Keys of files that are whole in the store; not asked for again. */
  whole: Set<string>;
}

/** Bytes of pending uploads that have arrived at their stores. */
export class SentBytes {
  readonly #context: WalkContext;
  /** Looks by artifact and upload, the most recent last. */
  readonly #looks = new Map<string, Look>();

  constructor(context: WalkContext) {
    this.#context = context;
  }

  read(name: UploadName): Promise<SentBytesReply> {
    const { organizationId, artifact, uploadId } = name;
    const id = JSON.stringify([organizationId, artifact, uploadId]);
    const { clock } = this.#context;
    const before = this.#looks.get(id);
    if (before !== undefined && clock() - (before.doneAtMs ?? clock()) < goodForMs)
      return before.answer;
    const whole = before?.whole ?? new Set();
    const answer = this.#look(name, whole).finally(() => (look.doneAtMs = clock()));
    const look: Look = { doneAtMs: undefined, whole, answer };
    this.#looks.delete(id);
    this.#looks.set(id, look);
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > keptMax) this.#looks.delete(oldest);
    return look.answer;
  }

  async #look(name: UploadName, whole: Set<string>): Promise<SentBytesReply> {
    const { storage, buckets } = this.#context;
    const upload = await storage.read("upload.sent", name);
    const { location, files } = upload;
    const bucket = buckets.bucketOf(location);
    const reply = { files: files.length, filesSent: 0, bytes: 0, sentBytes: 0 };
    await atStore("tell what was sent", () =>
      inParallel(filesAtOnce, files, async (file) => {
        const sentBytes = whole.has(file.key) ? file.size : await sentOf(bucket, upload, file);
        if (sentBytes === file.size) whole.add(file.key);
        reply.bytes += file.size;
        reply.sentBytes += sentBytes;
        reply.filesSent += Number(sentBytes === file.size);
      }),
    );
    return reply;
  }
}

async function sentOf(
  bucket: ArtifactBucket,
  { state }: UploadToLookAt,
  { key, size, storeUpload }: FileToLookAt,
): Promise<number> {
  // An empty file is one empty part, of which some stores say nothing.
  if (storeUpload === null || size === 0) return 0;
  try {
    const parts = await bucket.listParts({ key, storeUpload });
    return Math.min(
      size,
      parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    );
  } catch (error) {
    if (!(error instanceof UploadMissing)) throw error;
    // A commit that has begun ends the uploads of files, one after the other.
    return state === "completing" ? size : 0;
  }
}
