import type { Artifacts, SignedUpload } from "../artifacts.ts";
import { FileChangedError, RequestError, StoreError } from "../errors.ts";
import type { RetryPolicy } from "../retry.ts";
import type { CommitUploadReply, Place, Placement } from "../wire.ts";
import type { PreparedFile } from "./content.ts";
import { joinedCrc32 } from "./joined-crc32.ts";
import { LocationFailing, PartSending } from "./part-sending.ts";
import { type Part, partsOf, type SentPart } from "./part.ts";
import { RenewedAddresses } from "./renewed-addresses.ts";
import type { StoreConnections } from "./store-connections.ts";
import { filesOfState, type UploadRecord, type UploadState } from "./upload-record.ts";

export interface VersionUploadOptions {
  artifacts: Artifacts;
  artifact: string;
  version: string;
  epoch: number;
  place: Place;
  files: readonly PreparedFile[];
  meta: Record<string, unknown>;
  parallel: number;
  policy: RetryPolicy;
  connections: StoreConnections;
  signal: AbortSignal;
  /** Whether the service itself replies; asked once, without waiting. */
  serviceAnswers: () => Promise<boolean>;
  onBytes: (count: number) => void;
  onNotice: (sentence: string) => void;
  record?: UploadRecord | undefined;
}

/**
 * Milliseconds for which a failing location without substitute is retried before the push fails.
 */
const patienceMs = 300_000;

/** A committed version and its placement. */
export interface UploadedVersion extends CommitUploadReply {
  /** null: an earlier process sent the version, and the service no longer says where to. */
  placement: Placement | null;
  /** Why no better location was used. */
  warning: string | null;
}

/** The upload of one version: begin, send its parts, commit. */
export class VersionUpload {
  readonly #options: VersionUploadOptions;
  #exclude: string[] = [];
  /** Parts sent, by file and number. */
  #sent: (SentPart | null)[][] = [];
  /** Sum of the bytes reported to onBytes. */
  #countedBytes = 0;
  #arrivals = 0;

  constructor(options: VersionUploadOptions) {
    this.#options = options;
  }

  async run(): Promise<UploadedVersion> {
    return this.#complete(await this.#begin());
  }

  /** Resumes an upload of another process. Throws what `resign` throws when it cannot. */
  async resume(state: UploadState): Promise<UploadedVersion> {
    const { artifacts, artifact, signal } = this.#options;
    this.#exclude = [...state.exclude];
    let upload: SignedUpload;
    try {
      upload = await artifacts.resign(artifact, state.upload, state.epoch, signal);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      // Expired, and the artifact was not opened since; otherwise begin fails.
      if (error.code === "not_found") return this.run();
      // Committed, but the reply was lost: the same commit gives the same reply.
      if (error.code !== "conflict") throw error;
      this.#sent = state.sent;
      return { ...(await this.#commit(state.upload)), placement: null, warning: null };
    }
    this.#take(upload, sentBefore(state, upload));
    return this.#complete(upload);
  }

  async #begin(): Promise<SignedUpload> {
    const { artifacts, artifact, version, epoch, place, files, meta, signal } = this.#options;
    const described = files.map(({ name, size }) => ({ name, size }));
    const body = { epoch, place, files: described, meta, exclude: this.#exclude };
    const upload = await artifacts.begin(artifact, version, body, signal);
    if (upload.warning !== null) this.#options.onNotice(upload.warning);
    this.#take(upload, nothingSent(upload));
    return upload;
  }

  #take({ upload }: SignedUpload, sent: (SentPart | null)[][]): void {
    const { artifact, version, epoch, files, meta, record } = this.#options;
    this.#sent = sent;
    record?.begin({
      artifact,
      version,
      epoch,
      upload,
      exclude: this.#exclude,
      meta,
      files: filesOfState(files),
      sent,
    });
  }

  #resigned({ upload }: SignedUpload): Promise<SignedUpload> {
    const { artifacts, artifact, epoch, signal } = this.#options;
    return artifacts.resign(artifact, upload, epoch, signal);
  }

  async #complete(begun: SignedUpload): Promise<UploadedVersion> {
    let upload = begun;
    let failingSinceMs: number | undefined;
    for (;;) {
      const arrivals = this.#arrivals;
      try {
        await this.#send(upload);
        break;
      } catch (error) {
        if (!(error instanceof LocationFailing)) throw error;
        if (this.#arrivals > arrivals) failingSinceMs = undefined;
        failingSinceMs ??= performance.now();
        const isOver = performance.now() - failingSinceMs > patienceMs;
        if (isOver) throw new StoreError(error.message, error.status, error);
        upload = await this.#afterFailure(upload, error);
      }
    }
    this.#assertUnchanged(upload);
    const committed = await this.#commit(upload.upload);
    return { ...committed, placement: upload.placement, warning: upload.warning };
  }

  async #send(upload: SignedUpload): Promise<void> {
    const { files, connections, parallel, policy, signal, record } = this.#options;
    const missing: Part[] = [];
    let sentBytes = 0;
    for (const part of partsOf(files, upload.files)) {
      if (this.#sent[part.file]?.[part.number] == null) missing.push(part);
      else sentBytes += part.length;
    }
    this.#count(sentBytes - this.#countedBytes);
    const sending = new PartSending({
      files,
      connections,
      parallel,
      policy,
      signal,
      addresses: new RenewedAddresses(upload, () => this.#resigned(upload)),
      onBytes: (count) => this.#count(count),
      onSent: ({ file, number }, sent) => {
        this.#sent[file][number] = sent;
        this.#arrivals++;
        record?.touch();
      },
    });
    await sending.send(missing);
  }

  /**
   * Handles a failing location. If the service is unreachable too, that is the cause, and it is
   * awaited. Otherwise another location is requested, once for each that fails; without one, this
   * one is retried.
   */
  async #afterFailure(upload: SignedUpload, error: LocationFailing): Promise<SignedUpload> {
    const { id } = upload.placement.location;
    if ((await this.#options.serviceAnswers()) && !this.#exclude.includes(id)) {
      this.#exclude = [...this.#exclude, id];
      try {
        const moved = await this.#begin();
        this.#options.onNotice(`${error.message}; sending everything again to another location`);
        return moved;
      } catch (refused) {
        if (!(refused instanceof RequestError && refused.code === "not_ready")) throw refused;
        this.#options.onNotice(
          `${error.message}; there is no other location, so this one is retried`,
        );
      }
    }
    return this.#resigned(upload);
  }

  /** Compares the CRCs of the parts sent with those read before `begin`. */
  #assertUnchanged(upload: SignedUpload): void {
    const { files } = this.#options;
    const crcs = files.map(() => 0);
    for (const { file, number, length } of partsOf(files, upload.files)) {
      const sent = this.#sent[file]?.[number];
      if (sent == null) throw new Error(`BUG: part ${number} of file ${file} was not sent`);
      crcs[file] = joinedCrc32(crcs[file], sent.crc32, length);
    }
    const changed = files.find((file, index) => file.crc32 !== crcs[index]);
    if (changed === undefined) return;
    throw new FileChangedError(`${changed.name} changed while it was pushed; push it again`);
  }

  #commit(upload: string): Promise<CommitUploadReply> {
    const { artifacts, artifact, epoch, files, signal } = this.#options;
    const sent = files.map(({ name }, index) => {
      const parts = this.#sent[index] ?? [];
      return { name, etags: parts.map((part) => part?.etag ?? "") };
    });
    return artifacts.commit(artifact, upload, { epoch, files: sent }, signal);
  }

  #count(bytes: number): void {
    this.#countedBytes += bytes;
    this.#options.onBytes(bytes);
  }
}

function nothingSent(upload: SignedUpload): (SentPart | null)[][] {
  return upload.files.map(({ parts }) => parts.map(() => null));
}

/** Returns the parts that an earlier process sent, if the upload still has the same parts. */
function sentBefore(state: UploadState, upload: SignedUpload): (SentPart | null)[][] {
  const isSame =
    state.sent.length === upload.files.length &&
    upload.files.every(({ parts }, file) => state.sent[file]?.length === parts.length);
  return isSame ? state.sent : nothingSent(upload);
}
