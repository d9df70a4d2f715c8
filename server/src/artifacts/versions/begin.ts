import type { BeginVersionBody } from "@lossless/protocol";
import { orThrow } from "../rows/kept-refusal.ts";
import { keysOf } from "../rows/object-key.ts";
import type { UploadFile } from "../rows/upload.ts";
import { type ArtifactBucket, StoreError } from "../../buckets/bucket.ts";
import { withDeadline } from "../../ground/deadline.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { type Choice, chooseLocation } from "../../places/rows/locations/placement.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { writeOne } from "../../storage/storage.ts";
import { inParallel } from "../../ground/in-parallel.ts";
import { planParts } from "./part-plan.ts";
import { storeFailureOf, upstream } from "../../places/stores/store-failure.ts";
import { uploadReply } from "./upload-reply.ts";
import type { WalkContext } from "./walk-context.ts";

const startedAtOnce = 32;
/** A location may be retired between the choice and the transaction; not this often. */
const choicesMax = 10;
/**
 * Maximum of locations tried before the client is told of the failure; the last is the fallback.
 */
const triesMax = 3;
/** Time after which only the fallback is waited for; a silent store takes 30 s. */
const usualDeadlineMs = 45_000;

export interface BeginVersion extends Omit<BeginVersionBody, "meta"> {
  metaText: string;
  organizationId: string;
  artifact: string;
  version: string;
}

interface Failure {
  location: StoredLocation;
  error: StoreError;
}

/**
 * Places a version and begins its uploads; returns the text of an UploadReply. The row is written
 * before the store hears of the upload, so that no failure leaves an unrecorded object. A location
 * whose store fails is skipped: two at most, then the fallback is used.
 */
export async function beginVersion(context: WalkContext, input: BeginVersion): Promise<Buffer> {
  const { storage } = context;
  const { organizationId, artifact, version, epoch, place } = input;
  const failures: Failure[] = [];
  const deadline = AbortSignal.timeout(context.beginDeadlineMs ?? usualDeadlineMs);
  for (let attempt = 0; attempt < choicesMax + failures.length; attempt++) {
    const locations = await storage.read("upload.candidates", {
      organizationId,
      artifact,
      version,
      epoch,
    });
    const failed = failures.map(({ location }) => location.id);
    const isLast = failures.length + 1 >= triesMax || deadline.aborted;
    const passed = isLast ? locations.filter(({ isFallback }) => !isFallback) : [];
    const exclude = [...(input.exclude ?? []), ...failed, ...passed.map(({ id }) => id)];
    const choice = chooseLocation(locations, place, exclude);
    if (choice === undefined) throw noLocation(failures);
    const begun = await beginAt(context, input, choice, failures, deadline);
    if (begun === "location gone") continue;
    if (Buffer.isBuffer(begun)) return begun;
    context.warn(`The location ${choice.candidate.location.id} began no upload.`, begun);
    failures.push({ location: choice.candidate.location, error: begun });
  }
  throw new ServiceError("not_ready", "The locations change too fast to choose one; try again.");
}

async function beginAt(
  context: WalkContext,
  input: BeginVersion,
  { candidate: { location, match }, warning }: Choice,
  failures: readonly Failure[],
  deadline: AbortSignal,
): Promise<Buffer | "location gone" | StoreError> {
  const { storage, failpoints } = context;
  const { organizationId, artifact, version, epoch, place, metaText } = input;
  const bucket = context.buckets.bucketOf(location);
  const id = newId(context.clock());
  const { prefix, files } = layOut(input, id, location, bucket);
  const explained = warning === null ? null : [warning, ...failures.map(reason)].join(" ");
  await failpoints.pass("begin.beforeBegin");
  const isWritten = await writeOne(storage, "upload.begin", {
    organizationId,
    artifact,
    version,
    epoch,
    uploadId: id,
    locationId: location.id,
    match,
    warning: explained,
    place,
    metaText,
    prefix,
    files,
  });
  if (!isWritten) return "location gone";
  await failpoints.pass("begin.afterBegin");
  const stored = files.map((file) => ({ ...file, key: prefix + file.key }));
  const storeUploads: (string | null)[] = files.map(() => null);
  const name = { organizationId, artifact, uploadId: id };
  const patience = location.isFallback ? undefined : deadline;
  try {
    await unlessSilent(patience, (mayGoOn, answered) =>
      inParallel(startedAtOnce, stored.entries(), async ([index, { key }]) => {
        mayGoOn();
        storeUploads[index] = await bucket.startUpload(key);
        answered();
        await failpoints.pass("begin.afterStartUpload");
      }),
    );
  } catch (error) {
    // A copy: a call to the store that was given up may still finish. The removal finds unrecorded
    // uploads.
    const noted = { ...name, storeUploads: [...storeUploads] };
    await writeOne(storage, "upload.failed", noted);
    const failure = storeFailureOf(error);
    if (failure === undefined) throw error;
    return failure;
  }
  await failpoints.pass("begin.beforeStarted");
  orThrow(
    await writeOne(storage, "upload.started", { ...name, storeUploads: storeUploads as string[] }),
  );
  await failpoints.pass("begin.afterStarted");
  const begun = { id, location, match, warning: explained, files: stored, storeUploads };
  try {
    return await uploadReply(context, begun, patience);
  } catch (error) {
    // Clouds sign with credentials that may end, some of them by a call for each address.
    const failure = storeFailureOf(error);
    if (failure === undefined) throw error;
    await writeOne(storage, "upload.failed", { ...name, storeUploads });
    return failure;
  }
}

/** Gives up `work` at the deadline when the store has not answered; nothing more is begun then. */
async function unlessSilent(
  deadline: AbortSignal | undefined,
  work: (mayGoOn: () => void, answered: () => void) => Promise<void>,
): Promise<void> {
  const silent = new StoreError("timeout", true, "The store has begun nothing in time.");
  let [isSilent, isGivenUp] = [true, false];
  let done = Promise.resolve();
  const mayGoOn = () => {
    if (isGivenUp) throw silent;
  };
  const begin = () => (done = work(mayGoOn, () => (isSilent = false)));
  const giveUp = () => {
    if (!isSilent) return done;
    isGivenUp = true;
    throw silent;
  };
  await withDeadline(deadline, begin, giveUp);
}

/** Lays out files' parts and keys; throws before any write if the store cannot take them. */
function layOut(
  { organizationId, artifact, version, files }: BeginVersion,
  uploadId: string,
  location: StoredLocation,
  { readableKeys: readable, limits }: ArtifactBucket,
): { prefix: string; files: UploadFile[] } {
  const sizes = files.map(({ size }) => size);
  const plan = planParts(sizes, limits);
  if (plan === undefined) {
    throw new ServiceError(
      "bad_request",
      "The files are too large for one version: they would need more than 10,000 parts, or exceed the store's limit.",
    );
  }
  const scheme = { readable, path: location.path, organizationId, artifact, version, uploadId };
  const names = files.map(({ name }) => name);
  const { prefix, names: keys } = keysOf(scheme, names);
  const laidOut = files.map(({ name, size }, at) => ({ name, size, ...plan[at], key: keys[at] }));
  return { prefix, files: laidOut };
}

function noLocation(failures: readonly Failure[]): ServiceError {
  const last = failures.at(-1);
  if (last !== undefined) return upstream("begin the uploads", last.error);
  return new ServiceError(
    "not_ready",
    "No location can store the version: there is no fallback location, or all suitable locations are excluded.",
  );
}

function reason({ location, error }: Failure): string {
  const sentence = `${JSON.stringify(location.name)} failed to begin the uploads: ${error.code}.`;
  return error.advice === undefined ? sentence : `${sentence} ${error.advice}`;
}
