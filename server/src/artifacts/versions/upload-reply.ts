import { limits } from "@lossless/protocol/limits";
import type { StoredUpload } from "../rows/upload.ts";
import type { PartToSign, SignedRequest } from "../../buckets/bucket.ts";
import { partBytes } from "./part-plan.ts";
import { signInTurns } from "./sign-in-turns.ts";
import type { WalkContext } from "./walk-context.ts";

/** Parts that are signed without a break: some milliseconds. */
const partsPerTurn = 250;

/** An upload that the store has begun. */
export type BegunUpload = Pick<
  StoredUpload,
  "id" | "location" | "match" | "warning" | "files" | "storeUploads"
>;

/**
 * Returns the JSON of an UploadReply (begin, resign): one signed address for every part. 10,000 of
 * them are megabytes of text and a tenth of a second of signing, so both are done in turns, other
 * requests in between. `patience` ends it before its own deadline when no address was signed by
 * then.
 */
export async function uploadReply(
  context: WalkContext,
  upload: BegunUpload,
  patience?: AbortSignal,
): Promise<Buffer> {
  const { id, location, match, warning } = upload;
  const bucket = context.buckets.bucketOf(location);
  const placement = {
    location: { id: location.id, cloud: location.cloud, region: location.region },
    match,
  };
  const head = JSON.stringify({ upload: id, placement, warning });
  const texts = [Buffer.from(`${head.slice(0, -1)},"files":[`)];
  const parts = allParts(upload);
  let expiresAtMs = Number.POSITIVE_INFINITY;
  const sign = (turn: readonly FilePart[]) => bucket.signParts(turn, limits.signedUrlLifetimeMs);
  const { signingDeadlineMs: deadlineMs } = context;
  const turns = { items: parts, perTurn: partsPerTurn, sign, deadlineMs, patience };
  for await (const { turn, signed } of signInTurns(turns)) {
    expiresAtMs = Math.min(expiresAtMs, signed.expiresAtMs);
    texts.push(Buffer.from(turn.map((part, at) => partText(part, signed.addresses[at])).join("")));
  }
  texts.push(Buffer.from(`],"expires":${JSON.stringify(new Date(expiresAtMs).toISOString())}}`));
  return Buffer.concat(texts);
}

interface FilePart extends PartToSign {
  file: StoredUpload["files"][number];
  isFirstFile: boolean;
}

function allParts({ id, files, storeUploads }: BegunUpload): FilePart[] {
  return files.flatMap((file, index) => {
    const storeUpload = storeUploads[index] ?? null;
    if (storeUpload === null) throw new Error(`BUG: file ${index} of upload ${id} was not begun`);
    const { key, parts } = file;
    return Array.from({ length: parts }, (_, at) => {
      const [number, sizeBytes] = [at + 1, partBytes(file, at + 1)];
      return { key, storeUpload, number, sizeBytes, file, isFirstFile: index === 0 };
    });
  });
}

/** `{"name":…,"parts":[` before the first part of a file, `]}` after its last one. */
function partText(part: FilePart, address: SignedRequest | undefined): string {
  const { file, number, isFirstFile } = part;
  if (address === undefined) throw new Error(`BUG: part ${number} of ${file.key} was not signed`);
  const text = JSON.stringify({ url: address.url, headers: address.headers });
  const end = number === file.parts ? "]}" : "";
  if (number > 1) return `,${text}${end}`;
  const { name, size, partSize } = file;
  const head = JSON.stringify({ name, size, partSize });
  return `${isFirstFile ? "" : ","}${head.slice(0, -1)},"parts":[${text}${end}`;
}
