import { realpath } from "node:fs/promises";
import type { LosslessClient } from "../client.ts";
import { FileChangedError, LosslessError, RequestError, SupersededError } from "../errors.ts";
import {
  ArtifactWriter,
  openArtifact,
  type OpenOptions,
  type WriteOptions,
  type WrittenVersion,
} from "./artifact-writer.ts";
import { withChecksums } from "./checksums.ts";
import { fileState, type PreparedFile } from "./content.ts";
import { filesIn, type FoundFile } from "./directory-files.ts";
import { placeOf } from "./place.ts";
import { prepareFiles } from "./prepare-files.ts";
import { uploadDirectory, UploadRecord, type UploadState } from "./upload-record.ts";
import { nextVersion } from "./version-name.ts";
import { isInUse } from "./writing-process.ts";

export interface PushOptions extends Omit<OpenOptions, "signal">, WriteOptions {
  artifact: string;
  /** A directory, or one file. */
  path: string;
  /** Name of the version; absent: the number above the latest one. */
  version?: string;
  /** Starts anew although an earlier push of this directory was superseded, or is running. */
  takeOver?: boolean;
  /** Directory of the records of unfinished uploads; by default in the user's state directory. */
  recordDirectory?: string;
  /** Gets a function that saves the progress at once, for signal handlers. */
  onRecord?: (flush: () => void) => void;
}

export interface PushedVersion extends WrittenVersion {
  /** An earlier push was resumed. */
  resumed: boolean;
  /** Sentences about entries of the directory that are not in the version. */
  omissions: string[];
}

/**
 * Pushes a directory as a new version. Repeating an interrupted push resumes it: same service,
 * artifact, directory, meta and files, judged by their sizes and times.
 */
export async function push(client: LosslessClient, options: PushOptions): Promise<PushedVersion> {
  const { artifact, path, signal, onNotice = () => {} } = options;
  const { files, omissions } = await filesIn(path);
  if (files.length === 0) throw new LosslessError(`there are no files in ${path}`);
  for (const omission of omissions) onNotice(omission);
  // Asked before gigabytes are read and another writer is superseded.
  const { orgId } = await client.organization.whoami(signal === undefined ? {} : { signal });
  const directory = options.recordDirectory ?? uploadDirectory(process.env);
  const identity = [client.baseUrl, orgId, artifact, await realpath(path)];
  const record = new UploadRecord(directory, identity, onNotice);
  options.onRecord?.(() => record.flush());
  const state = options.takeOver === true ? undefined : record.load();
  if (state !== undefined && isInUse(state)) {
    throw new LosslessError(
      `process ${state.process.id} is already pushing ${path} to ${artifact}; ` +
        "take over (--take-over) to start over all the same",
    );
  }
  try {
    const prepared = state && (await unchangedFiles(state, files, options));
    const written =
      state !== undefined && prepared !== undefined
        ? await goOn(client, options, prepared, state, record)
        : await pushAnew(client, options, files, record);
    record.remove();
    return { ...written, resumed: prepared !== undefined, omissions };
  } catch (error) {
    if (isFinal(error)) record.remove();
    else record.release();
    throw error;
  }
}

async function goOn(
  client: LosslessClient,
  options: PushOptions,
  files: readonly PreparedFile[],
  state: UploadState,
  record: UploadRecord,
): Promise<WrittenVersion> {
  const { artifact } = options;
  // The artifact is not opened again: a forgotten push must not take it from a newer writer.
  const writer = new ArtifactWriter(
    client,
    artifact,
    placeOf(options.place),
    state.epoch,
    undefined,
  );
  try {
    return await writer.writeRemembered({ version: state.version, files, options, record, state });
  } catch (error) {
    if (!(error instanceof SupersededError)) throw error;
    throw new SupersededError(
      `Another writer has opened ${artifact} since this push began (its epoch is ${error.epoch}, ` +
        `ours was ${state.epoch}). Take over (--take-over) to push all the same.`,
      error.status,
      error.epoch,
      error.requestId,
    );
  }
}

async function pushAnew(
  client: LosslessClient,
  options: PushOptions,
  found: readonly FoundFile[],
  record: UploadRecord,
): Promise<WrittenVersion> {
  const files = await prepareFiles(found, options);
  // Errors in the meta are thrown before the artifact is opened.
  withChecksums(options.meta ?? {}, files);
  const writer = await openArtifact(client, options.artifact, options);
  const version = options.version ?? nextVersion(writer.latest?.version);
  return writer.writeRemembered({ version, files, options, record });
}

/**
 * Returns the state's files if they are unchanged on disk and the push is the same; else undefined.
 */
async function unchangedFiles(
  state: UploadState,
  found: readonly FoundFile[],
  { version, meta }: PushOptions,
): Promise<PreparedFile[] | undefined> {
  const isOther = version !== undefined && version !== state.version;
  if (isOther || state.files.length !== found.length) return undefined;
  const files: PreparedFile[] = [];
  for (const [index, { name, path }] of found.entries()) {
    const { name: knownName, size, modified, sha256, crc32 } = state.files[index];
    const now = await fileState(path);
    if (name !== knownName || now.size !== size || now.modified !== modified) return undefined;
    files.push({ name, size, sha256, crc32, content: { kind: "path", path, state: now } });
  }
  const described = withChecksums(meta ?? {}, files);
  return JSON.stringify(described.meta) === JSON.stringify(state.meta) ? files : undefined;
}

/** Whether the upload can never become a version, however often it is retried. */
function isFinal(error: unknown): boolean {
  if (error instanceof FileChangedError) return true;
  const codes = ["bad_request", "not_found", "conflict", "not_after_latest"];
  return error instanceof RequestError && codes.includes(error.code);
}
