import { endpoints } from "./endpoints.ts";
import type { V1Calls } from "./v1-calls.ts";
import type {
  ArtifactListReply,
  ArtifactReply,
  AuditTermsReply,
  AuditViewReply,
  ChangesBody,
  ChangesReply,
  DifferenceBody,
  DifferenceReply,
  FieldsBody,
  FieldsReply,
  ExperimentGroupsBody,
  ExperimentGroupsReply,
  FoldersReply,
  GroupsBody,
  GroupsReply,
  ExperimentArtifactsReply,
  FileAddressReply,
  NewAnnotationsReply,
  OverviewBody,
  OverviewReply,
  RunFilesReply,
  SentBytesReply,
  TableBody,
  TableReply,
  UsageViewReply,
  ViewPointsBody,
  ViewPointsReply,
  WaitBody,
  WaitReply,
} from "./wire.ts";

/** A prefix of paths, words in them, and the page. */
export interface ArtifactsQuery {
  under?: string;
  search?: string;
  sort?: "name" | "newest";
  after?: string;
  limit?: number;
}

/** One version, or a page of all of them. */
export interface ArtifactQuery {
  version?: string;
  after?: string;
  limit?: number;
  /** With the metas of the versions. */
  metas?: boolean;
}

/** A file of a committed version, or of `latest`. */
export interface VersionFileName {
  artifact: string;
  version: string;
  file: string;
}

/** A file of a run, as the id of its experiment, or of a logged model. */
export interface RunFileName {
  owner: string;
  file: string;
}

/** Filters of an audit log. An action is complete (`apiKey.created`) or a noun (`apiKey`). */
export interface AuditQuery {
  action?: string | undefined;
  actor?: string | undefined;
  subject?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  before?: string | undefined;
}

/** Reads for charts and tables. They change nothing, so every call is retried freely. */
export class Views {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /**
   * Reduces series to columns: first, last, least, largest and mean value of all points in each.
   * Series with at most four points a column are returned unreduced. RequestError `bad_request`
   * when a reply could not hold or read that much.
   */
  overview(body: OverviewBody, signal?: AbortSignal): Promise<OverviewReply> {
    return this.#calls.json(endpoints.readOverview, { body, repeatable: true, signal });
  }

  /**
   * Lists the versions of artifacts that an experiment wrote, newest first; none for an unknown id.
   */
  experimentArtifacts(
    experimentId: string,
    signal?: AbortSignal,
  ): Promise<ExperimentArtifactsReply> {
    return this.#calls.json(endpoints.readExperimentArtifacts, { query: { experimentId }, signal });
  }

  /**
   * Lists folders and artifacts right below a prefix; with a search or by `newest` all below it.
   */
  artifacts(
    { limit, ...query }: ArtifactsQuery = {},
    signal?: AbortSignal,
  ): Promise<ArtifactListReply> {
    return this.#calls.json(endpoints.viewArtifacts, {
      query: { ...query, limit: limit?.toString() },
      signal,
    });
  }

  /**
   * Returns one artifact with its versions, newest first, pending uploads and notes. RequestError
   * `not_found` when there is no such artifact or version.
   */
  artifact(
    artifact: string,
    { limit, metas, ...query }: ArtifactQuery = {},
    signal?: AbortSignal,
  ): Promise<ArtifactReply> {
    const flags = { limit: limit?.toString(), metas: metas === true ? "1" : undefined };
    return this.#calls.json(endpoints.viewArtifact, {
      query: { artifact, ...query, ...flags },
      signal,
    });
  }

  /**
   * Returns the bytes of a pending upload that its store has. RequestError `not_found` when it has
   * ended.
   */
  sentBytes(
    name: { artifact: string; upload: string },
    signal?: AbortSignal,
  ): Promise<SentBytesReply> {
    return this.#calls.json(endpoints.readSentBytes, { query: { ...name }, signal });
  }

  /** Returns an address to fetch one file of a version from; counts as a read. */
  fileAddress(name: VersionFileName, signal?: AbortSignal): Promise<FileAddressReply> {
    return this.#calls.json(endpoints.readFileAddress, { query: { ...name }, signal });
  }

  /** Reads at most 4 MiB of a file through the service, for a preview. Counts as a read. */
  async filePart(
    { offset, length, ...name }: VersionFileName & { offset?: number; length?: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const reply = await this.#calls.reply(endpoints.readFilePart, {
      query: { ...name, offset: offset?.toString(), length: length?.toString() },
      signal,
    });
    return reply.bytes;
  }

  /**
   * Lists the files that MLflow's clients wrote to a run (the id of its experiment) or a logged
   * model, by path; `next` of a reply is the `after` of the next page.
   */
  runFiles(
    owner: string,
    { after, limit }: { after?: string; limit?: number } = {},
    signal?: AbortSignal,
  ): Promise<RunFilesReply> {
    return this.#calls.json(endpoints.viewRunFiles, {
      query: { owner, after, limit: limit?.toString() },
      signal,
    });
  }

  /** Returns an address to fetch one of these files from; counts as a read. */
  runFileAddress(name: RunFileName, signal?: AbortSignal): Promise<FileAddressReply> {
    return this.#calls.json(endpoints.readRunFileAddress, { query: { ...name }, signal });
  }

  /** Reads at most 4 MiB of one of these files through the service, for a preview. */
  async runFilePart(
    { offset, length, ...name }: RunFileName & { offset?: number; length?: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const reply = await this.#calls.reply(endpoints.readRunFilePart, {
      query: { ...name, offset: offset?.toString(), length: length?.toString() },
      signal,
    });
    return reply.bytes;
  }

  /**
   * Reduces a series of all experiments that a query finds to means of groups, with bands.
   */
  groups(body: GroupsBody, signal?: AbortSignal): Promise<GroupsReply> {
    return this.#calls.json(endpoints.readGroups, { body, repeatable: true, signal });
  }

  /**
   * Returns raw points of series: those nearest to a place on the axis, or the first of a range.
   */
  points(body: ViewPointsBody, signal?: AbortSignal): Promise<ViewPointsReply> {
    return this.#calls.json(endpoints.readPoints, { body, repeatable: true, signal });
  }

  /**
   * Finds experiments by a query, sorted, with columns of their meta and metrics. RequestError
   * `bad_request` says at which character a query is wrong, and what is expected there.
   */
  experiments(body: TableBody, signal?: AbortSignal): Promise<TableReply> {
    return this.#calls.json(endpoints.readTable, { body, repeatable: true, signal });
  }

  /**
   * Groups the experiments that a query finds: each group has their number, and mean, least and
   * largest value of columns. `experiments` with `group` returns the experiments of one.
   */
  experimentGroups(
    body: ExperimentGroupsBody,
    signal?: AbortSignal,
  ): Promise<ExperimentGroupsReply> {
    return this.#calls.json(endpoints.readExperimentGroups, { body, repeatable: true, signal });
  }

  /**
   * Lists names of metas and metrics, or values of a field, with the number of their experiments.
   */
  fields(body: FieldsBody, signal?: AbortSignal): Promise<FieldsReply> {
    return this.#calls.json(endpoints.readFields, { body, repeatable: true, signal });
  }

  /**
   * Compares experiments: keys of their recorded metas, and the summaries of their metrics. With
   * `apart` it compares the named ones with the rest of a query.
   */
  difference(body: DifferenceBody, signal?: AbortSignal): Promise<DifferenceReply> {
    return this.#calls.json(endpoints.readDifference, { body, repeatable: true, signal });
  }

  /** Lists folders with the numbers of experiments in them and below them. */
  folders(signal?: AbortSignal): Promise<FoldersReply> {
    return this.#calls.json(endpoints.readFolders, { signal });
  }

  /**
   * Returns points and bytes by day, the present content of locations, and the quota. `days` from 1
   * to 366.
   */
  usage(
    { days, by }: { days?: number; by?: "location" | "place" | "transfer" } = {},
    signal?: AbortSignal,
  ): Promise<UsageViewReply> {
    return this.#calls.json(endpoints.readUsageView, {
      query: { days: days === undefined ? undefined : String(days), by },
      signal,
    });
  }

  /**
   * Returns a page of the audit log by filters, newest first; `before` is the `next` of the page
   * before. It needs a person with the role admin.
   */
  audit(query: AuditQuery = {}, signal?: AbortSignal): Promise<AuditViewReply> {
    const { sinceMs, untilMs, ...texts } = query;
    const [since, until] = [sinceMs, untilMs].map((ms) =>
      ms === undefined ? undefined : String(ms),
    );
    return this.#calls.json(endpoints.readAuditView, { query: { ...texts, since, until }, signal });
  }

  /** Lists the actions and actors in the audit log. */
  auditTerms(signal?: AbortSignal): Promise<AuditTermsReply> {
    return this.#calls.json(endpoints.readAuditTerms, { signal });
  }

  /**
   * Returns the annotations of an experiment, newest first; with `next` of an earlier reply only
   * those added since. `logged: "omit"` leaves out media, texts and histograms, which
   * `client.logged` reads by step.
   */
  annotations(
    experimentId: string,
    after?: string,
    signal?: AbortSignal,
    { logged }: { logged?: "omit" } = {},
  ): Promise<NewAnnotationsReply> {
    return this.#calls.json(endpoints.readNewAnnotations, {
      query: { experimentId, after, logged },
      signal,
    });
  }

  /**
   * Waits at most `waitMs` milliseconds until an experiment has another revision than the one seen,
   * or one is opened. A failed call is not retried, as the caller repeats it anyway.
   */
  changes(body: ChangesBody, signal?: AbortSignal): Promise<ChangesReply> {
    return this.#calls.json(endpoints.readChanges, {
      body,
      repeatable: true,
      patience: "none",
      timeoutMs: body.waitMs + answerMs,
      signal,
    });
  }

  /**
   * Waits at most `waitMs` milliseconds until a condition holds for an experiment, or it has ended
   * without it. A failed call is not retried; `waitUntil` of the client repeats it.
   */
  wait(body: WaitBody, signal?: AbortSignal): Promise<WaitReply> {
    return this.#calls.json(endpoints.waitUntil, {
      body,
      repeatable: true,
      patience: "none",
      timeoutMs: body.waitMs + answerMs,
      signal,
    });
  }
}

/** Milliseconds allowed for the reply beyond the requested wait. */
const answerMs = 30_000;
