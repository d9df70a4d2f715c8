import type { Match, Place } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../../database/database.ts";
import {
  findLocation,
  readLocations,
  type StoredLocation,
} from "../../places/rows/locations/location.ts";
import { uploadBytes } from "../../database/quotas/amounts.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import {
  type ArtifactName,
  findArtifact,
  superseded,
  uploadNotFound,
  writerProblem,
} from "./artifact.ts";
import { keptRefusal, type KeptRefusal } from "./kept-refusal.ts";
import { abandonUpload } from "./removal.ts";
import { findUpload, keepStoreUploads, unfinished, type UploadFile } from "./upload.ts";

export interface NewVersion extends ArtifactName {
  version: string;
  epoch: number;
}

/** `upload.candidates`: whether the writer may begin, and locations its place is chosen from. */
export async function readCandidates(reader: Reader, input: NewVersion): Promise<StoredLocation[]> {
  const problem = writerProblem(await findArtifact(reader, input), input);
  if (problem !== undefined) throw problem;
  return readLocations(reader, input.organizationId);
}

export interface BeginUpload extends NewVersion {
  uploadId: string;
  locationId: string;
  match: Match | null;
  warning: string | null;
  place: Place;
  /** Compact JSON of an object, as the writer sent it. */
  metaText: string;
  prefix: string;
  /** Keys of the files, without the prefix. */
  files: UploadFile[];
}

/**
 * `upload.begin`: records the upload before the store hears of it, so that its leftovers are known
 * in any case. Epoch and latest are compared under the artifact's lock. Returns false when the
 * location takes no writes any more and another has to be chosen. All bytes count from here on:
 * parts need not be counted, and none can exceed a quota.
 */
export async function beginUpload(
  transaction: Transaction,
  input: BeginUpload,
  moment: Counting,
): Promise<boolean> {
  const { organizationId, uploadId, locationId, place, files } = input;
  const artifact = await findArtifact(transaction, input, { lock: true });
  const problem = writerProblem(artifact, input);
  if (problem !== undefined || artifact === undefined) throw problem ?? superseded(0);
  const location = await findLocation(transaction, organizationId, locationId);
  if (location?.state !== "active") return false;
  const bytes = uploadBytes({ ...input, isBuiltIn: location.driver === "built-in" });
  await transaction.run(
    `INSERT INTO upload (id, artifact, organization, version, epoch, state, location, match, warning, place, meta,
       prefix, files, bytes, created_at_ms, committed_at_ms, counted_bytes)
     VALUES ($1, $2, $3, $4, $5, 'starting', $6, $7, $8, $9, $10, $11, $12, $13, $14, NULL, $15)`,
    uploadId,
    artifact.id,
    organizationId,
    input.version,
    input.epoch,
    locationId,
    input.match,
    input.warning,
    JSON.stringify(place),
    input.metaText,
    input.prefix,
    files.length,
    files.reduce((sum, { size }) => sum + size, 0),
    moment.nowMs,
    bytes,
  );
  await transaction.run(
    "INSERT INTO upload_files (upload, files) VALUES ($1, $2)",
    uploadId,
    JSON.stringify(files),
  );
  await abandonCrowd(transaction, artifact.id, uploadId, moment);
  await moment.ledger.charge(organizationId, { uploads: 1, bytes });
  return true;
}

/**
 * Abandons all but the newest uploads of an artifact (A11): a client that begins in a loop holds
 * 16.
 */
async function abandonCrowd(
  transaction: Transaction,
  artifactId: string,
  newest: string,
  moment: Counting,
): Promise<void> {
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM upload WHERE artifact = $1 AND id <> $2 AND state IN ${unfinished}
     ORDER BY created_at_ms DESC, id DESC`,
    artifactId,
    newest,
  );
  for (const { id } of rows.slice(limits.pendingUploadsPerArtifactMax - 1)) {
    await abandonUpload(transaction, id, "crowded", moment);
  }
}

/**
 * `upload.started`: the store has begun the upload of every file; the writer may send. When the
 * artifact was taken over or the upload abandoned meanwhile, the ids are kept for the removal.
 */
export async function uploadStarted(
  transaction: Transaction,
  { uploadId, storeUploads, ...name }: ArtifactName & { uploadId: string; storeUploads: string[] },
  moment: Counting,
): Promise<"pending" | KeptRefusal> {
  const artifact = await findArtifact(transaction, name, { lock: true });
  const upload = await findUpload(transaction, uploadId, { lock: true });
  if (artifact === undefined || upload === undefined) {
    throw new Error(`BUG: upload ${uploadId} was begun and is not there`);
  }
  await keepStoreUploads(transaction, uploadId, storeUploads);
  const problem = writerProblem(artifact, upload);
  if (problem !== undefined || upload.state !== "starting") {
    await abandonUpload(transaction, uploadId, "superseded", moment);
    return keptRefusal(problem ?? uploadNotFound());
  }
  await transaction.run("UPDATE upload SET state = 'pending' WHERE id = $1", uploadId);
  return "pending";
}

/** `upload.failed`: the store failed at begin; ids that it gave are kept for the removal. */
export async function uploadFailed(
  transaction: Transaction,
  {
    uploadId,
    storeUploads,
    ...name
  }: ArtifactName & { uploadId: string; storeUploads: (string | null)[] },
  moment: Counting,
): Promise<void> {
  await findArtifact(transaction, name, { lock: true });
  await keepStoreUploads(transaction, uploadId, storeUploads);
  await abandonUpload(transaction, uploadId, "failed", moment);
}
