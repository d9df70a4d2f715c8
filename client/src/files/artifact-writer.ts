import type { LosslessClient } from "../client.ts";
import { LosslessError, RequestError } from "../errors.ts";
import { defaultRetryPolicy, type RetryPolicy } from "../retry.ts";
import type { OpenArtifactReply, Place, Placement, VersionRecord } from "../wire.ts";
import { withChecksums } from "./checksums.ts";
import type { PreparedFile } from "./content.ts";
import type { FoundFile } from "./directory-files.ts";
import { placeOf } from "./place.ts";
import { prepareFiles } from "./prepare-files.ts";
import { StoreConnections } from "./store-connections.ts";
import type { UploadRecord, UploadState } from "./upload-record.ts";
import type { TransferProgress } from "./transfer-progress.ts";
import { nextVersion } from "./version-name.ts";
import { VersionUpload } from "./version-upload.ts";

export interface OpenOptions {
  /**
   * `latest` requires versions, `new` and `fork` require none; `auto` (default) picks what fits.
   */
  mode?: "latest" | "new" | "fork" | "auto";
  /** The artifact to fork from, in mode fork. */
  source?: string;
  place?: Partial<Place>;
  signal?: AbortSignal;
}

export interface WriteOptions {
  /** A free JSON object, at most 64 KiB; the key `sha256` is reserved. */
  meta?: Record<string, unknown>;
  /** Parts sent in parallel; 8. */
  parallel?: number;
  /** Pauses between the attempts of a part, and their observer. */
  retry?: Partial<RetryPolicy>;
  /**
   * Milliseconds without progress after which a request to a store fails and is retried; 60,000.
   */
  idleTimeoutMs?: number;
  onProgress?: (progress: TransferProgress) => void;
  /** Gets sentences for the user that need no action: a fallback location, a store that fails. */
  onNotice?: (sentence: string) => void;
  signal?: AbortSignal;
}

export interface WrittenVersion {
  artifact: string;
  version: string;
  committed: string;
  /** Files given to the writer, without an added list of checksums. */
  files: number;
  bytes: number;
  /** The location that took the version; null: an earlier process sent it all but got no reply. */
  placement: Placement | null;
  /** Why no better location was used. */
  warning: string | null;
}

/** The data of one write, besides its options. */
interface Writing {
  version: string;
  files: readonly PreparedFile[];
  options: WriteOptions;
  record?: UploadRecord | undefined;
  state?: UploadState | undefined;
}

/**
 * Opens an artifact and returns its only writer. Earlier writers get SupersededError from now on,
 * and this one gets it once another client opens the artifact: then it must stop.
 */
export async function openArtifact(
  client: LosslessClient,
  artifact: string,
  options: OpenOptions = {},
): Promise<ArtifactWriter> {
  const place = placeOf(options.place);
  const { mode = options.source === undefined ? "auto" : "fork", source, signal } = options;
  const open = (way: "latest" | "new" | "fork"): Promise<OpenArtifactReply> => {
    const body = {
      mode: way,
      place,
      ...(way === "fork" && source !== undefined ? { source } : {}),
    };
    return client.artifacts.open(artifact, body, signal);
  };
  const opened = mode === "auto" ? await openAsItIs(open) : await open(mode);
  return new ArtifactWriter(client, artifact, place, opened.epoch, opened.version ?? undefined);
}

async function openAsItIs(
  open: (mode: "latest" | "new") => Promise<OpenArtifactReply>,
): Promise<OpenArtifactReply> {
  for (let tries = 1; ; tries++) {
    try {
      return await open(tries % 2 === 1 ? "latest" : "new");
    } catch (error) {
      // Another client may commit the first version between the two calls.
      const codes = ["not_found", "not_empty"];
      const isOther = error instanceof RequestError && codes.includes(error.code);
      if (!isOther || tries === 4) throw error;
    }
  }
}

/** The writer of an artifact, until another client opens it. */
export class ArtifactWriter {
  readonly artifact: string;
  readonly epoch: number;
  /** The latest version at opening, in mode fork that of the source; undefined: there was none. */
  readonly latest: VersionRecord | undefined;
  #latestName: string | undefined;
  readonly #client: LosslessClient;
  readonly #place: Place;

  constructor(
    client: LosslessClient,
    artifact: string,
    place: Place,
    epoch: number,
    latest: VersionRecord | undefined,
  ) {
    this.#client = client;
    this.artifact = artifact;
    this.#place = place;
    this.epoch = epoch;
    this.latest = latest;
    this.#latestName = latest?.version;
  }

  /**
   * Writes a version of these files: reads them for their checksums, sends them, commits. Without a
   * name the version is numbered one above the latest. Throws SupersededError, StoreError,
   * FileChangedError, RequestError (`not_after_latest`, `not_ready`, ...), ConnectionError.
   */
  async write(
    version: string | undefined,
    files: readonly (FoundFile | PreparedFile)[],
    options: WriteOptions = {},
  ): Promise<WrittenVersion> {
    const name = version ?? nextVersion(this.#latestName);
    const prepared = await prepareFiles(files, options);
    return this.#run({ version: name, files: prepared, options });
  }

  /** The same with an upload record, which may already hold state; for push.ts. */
  async writeRemembered(writing: Writing): Promise<WrittenVersion> {
    return this.#run(writing);
  }

  async #run({ version, files, options, record, state }: Writing): Promise<WrittenVersion> {
    if (files.length === 0) throw new LosslessError("a version needs at least one file");
    const { parallel = 8, onProgress, onNotice = () => {}, idleTimeoutMs = 60_000 } = options;
    const described = withChecksums(options.meta ?? {}, files);
    const bytesTotal = described.files.reduce((sum, { size }) => sum + size, 0);
    let bytes = 0;
    using connections = new StoreConnections(parallel, idleTimeoutMs);
    const upload = new VersionUpload({
      artifact: this.artifact,
      version,
      epoch: this.epoch,
      place: this.#place,
      files: described.files,
      meta: described.meta,
      parallel,
      connections,
      onNotice,
      record,
      artifacts: this.#client.artifacts,
      policy: { ...defaultRetryPolicy, ...options.retry },
      signal: options.signal ?? new AbortController().signal,
      serviceAnswers: () => this.#serviceAnswers(),
      onBytes: (count) => {
        bytes += count;
        const phase = bytes === bytesTotal ? "committing" : "sending";
        onProgress?.({ phase, bytes, bytesTotal });
      },
    });
    const reply = await (state === undefined ? upload.run() : upload.resume(state));
    this.#latestName = reply.version;
    const ownBytes = files.reduce((sum, { size }) => sum + size, 0);
    return { artifact: this.artifact, ...reply, files: files.length, bytes: ownBytes };
  }

  async #serviceAnswers(): Promise<boolean> {
    try {
      await this.#client.organization.whoami({ patience: "none" });
      return true;
    } catch (error) {
      return error instanceof RequestError && error.status < 500;
    }
  }
}
