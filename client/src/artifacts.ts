import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import type { V1Call, V1Calls } from "./v1-calls.ts";
import type {
  AliasChange,
  AliasHistory,
  ArtifactEntry,
  ArtifactsPage,
  BeginVersionBody,
  CommitUploadBody,
  CommitUploadReply,
  OpenArtifactBody,
  OpenArtifactReply,
  Place,
  SetAliasReply,
  UploadReply,
  VersionAlias,
  VersionRecord,
  VersionsPage,
} from "./wire.ts";

export interface ReadOptions {
  /** Whether to return addresses to fetch the files from. */
  urls?: boolean;
  /** The reader's place: decides `transfer`, and is counted in the usage. */
  place?: Partial<Place>;
  signal?: AbortSignal | undefined;
}

/** An upload with the remaining lifetime of its addresses at the reply, by the service's clock. */
export interface SignedUpload extends UploadReply {
  validForMs: number;
}

/** A version with the addresses of its files, and their remaining lifetime, as above. */
export interface SignedVersion {
  record: VersionRecord;
  validForMs: number;
}

export interface AliasOptions {
  /** Change it only if it points to this version; null: only if there is no such alias. */
  expected?: string | null | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * begin may send thousands of requests to a store, and commit may wait for it: both take longer
 * than other calls.
 */
const longCall = { timeoutMs: 300_000 };

/**
 * Versioned artifacts, one method a call. Every call is retried after lost connections, 429 and
 * 5xx; where the service cannot recognise a repetition, the method says what it means.
 */
export class Artifacts {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /**
   * Opens the artifact for writing: earlier writers get SupersededError from now on. A lost reply
   * leaves an epoch without a writer, and opening again supersedes only that one. RequestError
   * `not_found` in mode latest without versions, `not_empty` in modes new and fork with versions.
   */
  open(artifact: string, body: OpenArtifactBody, signal?: AbortSignal): Promise<OpenArtifactReply> {
    const call = { query: { artifact }, body, repeatable: true, signal };
    return this.#calls.json(endpoints.openArtifact, call);
  }

  /**
   * Places a version and starts its upload. A lost reply leaves a pending upload without a writer:
   * it expires, and the next one is a new upload.
   */
  begin(
    artifact: string,
    version: string,
    body: BeginVersionBody,
    signal?: AbortSignal,
  ): Promise<SignedUpload> {
    const call = { query: { artifact, version }, body, repeatable: true, ...longCall, signal };
    return this.#signed(endpoints.beginVersion, call);
  }

  /** Signs new addresses for a pending upload; the parts sent so far stay. */
  resign(
    artifact: string,
    upload: string,
    epoch: number,
    signal?: AbortSignal,
  ): Promise<SignedUpload> {
    const query = { artifact, upload };
    const call = { query, body: { epoch }, repeatable: true, ...longCall, signal };
    return this.#signed(endpoints.resignUpload, call);
  }

  /** Commits the version. Repeating the call gives the same reply, even after it was superseded. */
  commit(
    artifact: string,
    upload: string,
    body: CommitUploadBody,
    signal?: AbortSignal,
  ): Promise<CommitUploadReply> {
    return this.#calls.json(endpoints.commitUpload, {
      query: { artifact, upload },
      body,
      repeatable: true,
      patience: "long",
      ...longCall,
      signal,
    });
  }

  /**
   * Reads one committed version, by name, `latest`, or an alias: `@best`. RequestError `not_found`
   * when there is none.
   */
  readVersion(
    artifact: string,
    version: string,
    options: ReadOptions = {},
  ): Promise<VersionRecord> {
    return this.#calls.json(endpoints.readVersion, {
      query: { artifact, version, ...readQuery(options) },
      signal: options.signal,
    });
  }

  /** Reads one committed version, with an address for every file. */
  async signVersion(
    artifact: string,
    version: string,
    options: Omit<ReadOptions, "urls"> = {},
  ): Promise<SignedVersion> {
    const { value: record, serverTimeMs } = await this.#calls.timed(endpoints.readVersion, {
      query: { artifact, version, ...readQuery({ ...options, urls: true }) },
      repeatable: true,
      signal: options.signal,
    });
    return { record, validForMs: Date.parse(record.expires ?? "") - serverTimeMs };
  }

  /** Yields the committed versions above `after` in the order of their names, page by page. */
  async *versions(
    artifact: string,
    options: ReadOptions & { after?: string } = {},
  ): AsyncGenerator<VersionRecord, void, undefined> {
    for (let after = options.after; ;) {
      const page: VersionsPage = await this.#calls.json(endpoints.listVersions, {
        query: { artifact, after, ...readQuery(options) },
        signal: options.signal,
      });
      yield* page.versions;
      if (page.next === null) return;
      after = page.next;
    }
  }

  /**
   * Yields artifacts that have versions, with paths that start with `under`, in the order of paths.
   */
  async *list(
    under = "",
    options: { after?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<ArtifactEntry, void, undefined> {
    for (let after = options.after; ;) {
      const page: ArtifactsPage = await this.#calls.json(endpoints.listArtifacts, {
        query: { under: under === "" ? undefined : under, after },
        signal: options.signal,
      });
      yield* page.artifacts;
      if (page.next === null) return;
      after = page.next;
    }
  }

  /** Returns the aliases of an artifact's versions, by name. */
  async aliases(artifact: string, signal?: AbortSignal): Promise<VersionAlias[]> {
    const call = { query: { artifact }, signal };
    return (await this.#calls.json(endpoints.listAliases, call)).aliases;
  }

  /**
   * Sets or moves an alias to a version: its name, `latest`, or another alias, as it points now.
   * RequestError `conflict` when it does not point to `expected`, `not_found` without the version.
   */
  setAlias(
    artifact: string,
    alias: string,
    version: string,
    { expected, signal }: AliasOptions = {},
  ): Promise<SetAliasReply> {
    const body = { version, ...(expected === undefined ? {} : { expected }) };
    const call = { query: { artifact, alias }, body, repeatable: true, signal };
    return this.#calls.json(endpoints.setAlias, call);
  }

  /** Removes an alias; its version stays. RequestError `not_found`, `conflict` as above. */
  async removeAlias(
    artifact: string,
    alias: string,
    { expected, signal }: { expected?: string; signal?: AbortSignal } = {},
  ): Promise<void> {
    await this.#calls.reply(endpoints.removeAlias, {
      query: { artifact, alias, expected },
      signal,
    });
  }

  /** Yields the changes of an artifact's aliases, or of one, newest first, page by page. */
  async *aliasChanges(
    artifact: string,
    alias?: string,
    signal?: AbortSignal,
  ): AsyncGenerator<AliasChange, void, undefined> {
    for (let before: string | undefined; ;) {
      const page: AliasHistory = await this.#calls.json(endpoints.listAliasChanges, {
        query: { artifact, alias, before },
        signal,
      });
      yield* page.changes;
      if (page.next === null) return;
      before = page.next;
    }
  }

  /** Reads the bytes of a note. RequestError `not_found` when there is none. */
  async readNote(artifact: string, note: string): Promise<Uint8Array> {
    return (await this.#calls.reply(endpoints.readNote, { query: { artifact, note } })).bytes;
  }

  /** Stores or replaces a note of at most 64 KiB. The last write wins. */
  async writeNote(
    artifact: string,
    note: string,
    content: Uint8Array<ArrayBuffer> | string,
  ): Promise<void> {
    await this.#calls.reply(endpoints.writeNote, {
      query: { artifact, note },
      body: typeof content === "string" ? new TextEncoder().encode(content) : content,
      repeatable: true,
    });
  }

  async #signed<Query, Body>(
    endpoint: Endpoint<Query, Body, UploadReply>,
    call: V1Call<Query, Body>,
  ): Promise<SignedUpload> {
    const { value: upload, serverTimeMs } = await this.#calls.timed(endpoint, call);
    return { ...upload, validForMs: Date.parse(upload.expires) - serverTimeMs };
  }
}

function readQuery({ urls, place }: ReadOptions) {
  const { cloud, region, source } = place ?? {};
  return { urls: urls === true ? "1" : undefined, cloud, region, source };
}
