import { Account } from "./account.ts";
import { Artifacts } from "./artifacts.ts";
import { AuditLog } from "./audit-log.ts";
import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { EventError, LosslessError, RequestError } from "./errors.ts";
import { ExperimentSession } from "./experiment-session.ts";
import { Attempts } from "./attempts.ts";
import { Console } from "./console.ts";
import { Exports } from "./exports.ts";
import { Folders } from "./folders.ts";
import { Logged } from "./logged.ts";
import { openExperiment, type Opening, refreshToken } from "./opening.ts";
import { OrganizationAccess } from "./organization-access.ts";
import { OrganizationEvents } from "./organization-events.ts";
import { OrganizationSetup } from "./organization-setup.ts";
import { People } from "./people.ts";
import { checkRecorderOptions, Recorder, type RecorderOptions } from "./recorder.ts";
import { freshMessageId } from "./message-id.ts";
import { isObject, parsedReply } from "./replies.ts";
import { defaultRetryPolicy, type RetryPolicy, withRetries } from "./retry.ts";
import {
  collectSeries,
  type SeriesBlock,
  type SeriesPartition,
  type SeriesSelection,
  streamSeries,
} from "./series.ts";
import { settledWrite } from "./settled-write.ts";
import { Transport, type TransportOptions } from "./transport.ts";
import { type V1Call, V1Calls } from "./v1-calls.ts";
import { Reports } from "./reports.ts";
import { SignOn } from "./sign-on.ts";
import { Guests } from "./guests.ts";
import { Tokens } from "./tokens.ts";
import { Retention } from "./retention.ts";
import { Trash } from "./trash.ts";
import { SavedViews } from "./saved-views.ts";
import { Views } from "./views.ts";
import { Lineage } from "./lineage.ts";
import { Models } from "./models.ts";
import { type Waited, type WaitOptions, waitUntil } from "./waiting.ts";
import { Workspaces } from "./workspaces.ts";
import type {
  AnnotationsResultData,
  AttributesResultData,
  AuthStatus,
  AuthStatusReply,
  CatalogResultData,
  EditBody,
  EditReply,
  ExperimentMovedData,
  ExperimentOpenedData,
  ExperimentRecord,
  ExperimentsResultData,
  NoteBody,
  NoteReply,
  RevisionsResultData,
} from "./wire.ts";

export interface ClientOptions extends TransportOptions {
  /** Organization API key, `ak_...`; either this or `credential` is required. */
  apiKey?: string;
  /**
   * Returns the credential of an attempt: a session token, or an OAuth token, renewed on expiry.
   */
  credential?: () => Promise<string>;
  /** Name or id of the organization for which an OAuth token is used. */
  organization?: string;
  /** Retries of reads and single writes; by default for 60 seconds. */
  retry?: Partial<RetryPolicy>;
}

/** An experiment, by exactly one of its id and its slug. */
export type ExperimentIdentity = { experimentId: string } | { experimentSlug: string };

const idsPerRequest = 500;

/**
 * The service as seen by one organization. Every call is retried by the rules of the specification
 * (connection failures, 429 with Retry-After, 5xx, retryable event errors); reads freely, writes
 * only when that cannot repeat their effect. Calls throw ConnectionError, RequestError
 * (`unauthorized` for a wrong key), EventError with a code of the service, or OutcomeUnknownError.
 */
export class LosslessClient {
  /** `folder.create`, `foldertree.read` and the extensions `folder.update` and `folder.delete`. */
  readonly folders: Folders;
  /** Versioned artifacts, call by call; files are pushed and pulled by `@lossless/client/files`. */
  readonly artifacts: Artifacts;
  /** Locations, usage, API keys. */
  readonly organization: OrganizationSetup;
  readonly people: People;
  /** The person of a session, and their sign-ins. */
  readonly account: Account;
  readonly audit: AuditLog;
  /** Parquet files of points, experiments and annotations. */
  readonly exports: Exports;
  /** Series reduced for drawing. */
  readonly views: Views;
  /** Lines that runs have printed and logged. */
  readonly console: Console;
  /** Media, texts and histograms over steps. */
  readonly logged: Logged;
  /** Each start of runs, whether their processes live, and how they ended. */
  readonly attempts: Attempts;
  readonly savedViews: SavedViews;
  readonly reports: Reports;
  /** How charts are arranged. */
  readonly workspaces: Workspaces;
  /** Versions, data sets and models that runs used and made. */
  readonly lineage: Lineage;
  /** Registered models. */
  readonly models: Models;
  /** Deleting, restoring and purging. */
  readonly trash: Trash;
  /** Rules that trash old or surplus experiments and versions automatically. */
  readonly retention: Retention;
  /** The organization's identity provider. */
  readonly signOn: SignOn;
  /** Addresses by which people without an account read some experiments. */
  readonly guests: Guests;
  /** Personal tokens and service accounts. */
  readonly tokens: Tokens;
  readonly baseUrl: string;
  readonly #transport: Transport;
  readonly #access: OrganizationAccess;
  readonly #events: OrganizationEvents;
  readonly #policy: RetryPolicy;
  readonly #calls: V1Calls;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.baseUrl = options.baseUrl;
    this.#policy = { ...defaultRetryPolicy, ...options.retry };
    this.#access = new OrganizationAccess(
      this.#transport,
      credentialOf(options),
      options.organization,
    );
    this.#events = new OrganizationEvents(this.#access, this.#policy);
    this.folders = new Folders(this.#events, this.#policy);
    this.#calls = new V1Calls(this.#access, this.#policy);
    this.artifacts = new Artifacts(this.#calls);
    this.organization = new OrganizationSetup(this.#calls);
    this.people = new People(this.#calls);
    this.audit = new AuditLog(this.#calls);
    this.views = new Views(this.#calls);
    this.console = new Console(this.#calls, this.views);
    this.logged = new Logged(this.#calls, this.views);
    this.attempts = new Attempts(this.#calls);
    this.exports = new Exports(this.#access);
    this.savedViews = new SavedViews(this.#calls);
    this.reports = new Reports(this.#calls);
    this.workspaces = new Workspaces(this.#calls);
    this.lineage = new Lineage(this.#calls);
    this.models = new Models(this.#calls);
    this.trash = new Trash(this.#calls);
    this.retention = new Retention(this.#calls);
    this.signOn = new SignOn(this.#calls);
    this.guests = new Guests(this.#calls);
    this.tokens = new Tokens(this.#calls);
    this.account = new Account(this.#calls);
  }

  /** `GET /api/v2/auth/status`: the organization that the credential belongs to. */
  async authStatus(): Promise<AuthStatus> {
    const attempt = () => this.#access.exchange(endpoints.authStatus);
    const { text } = await withRetries(this.#policy, attempt);
    const body = parsedReply(text) as AuthStatusReply | null;
    if (!isObject(body?.data)) throw new LosslessError("malformed auth status");
    return body.data;
  }

  /**
   * Asks an endpoint of `endpoints` that may be repeated, as every read may; retried like other
   * calls.
   */
  request<Query, Body, Value>(
    endpoint: Endpoint<Query, Body, Value>,
    call: V1Call<Query, Body>,
  ): Promise<Value> {
    return this.#calls.json(endpoint, { repeatable: true, ...call });
  }

  // ---- writing

  /**
   * Opens the slug, sends `start` and returns a recorder for the points. The recorder keeps its
   * token alive and opens the slug again, with the same description and meta, when the token has
   * expired.
   */
  async record(
    opening: Opening,
    options: RecorderOptions & { start?: boolean } = {},
  ): Promise<Recorder> {
    // Checked before anything is opened.
    checkRecorderOptions(options);
    const { origin } = options;
    const meta = (await origin?.begin(opening.meta ?? {})) ?? opening.meta ?? {};
    const grant = await openExperiment(this.#events, this.#policy, { ...opening, meta });
    const { experimentId } = grant;
    const { folderId: _, seenUpdatedAtMs: __, ...given } = opening;
    const content = { ...given, meta };
    const session = new ExperimentSession(
      this.#transport,
      {
        refresh: (token, signal) => refreshToken(this.#events, experimentId, token, signal),
        // The folder is left out: the experiment may have been moved elsewhere meanwhile.
        reopen: (signal) => openExperiment(this.#events, this.#policy, content, signal),
      },
      grant,
    );
    const reads = {
      experiment: (signal: AbortSignal) => this.experiment({ experimentId }, signal),
      annotations: (signal: AbortSignal) => this.annotations({ experimentId }, signal),
    };
    const recorder = new Recorder(session, reads, options);
    if (options.start !== false) await recorder.start();
    const experiment = { experimentId, slug: opening.slug, meta };
    if (origin !== undefined) recorder.keepOrigin((signal) => origin.complete(experiment, signal));
    return recorder;
  }

  /** `experiment.open` alone, for callers that send the experiment's events themselves. */
  async openExperiment(opening: Opening): Promise<ExperimentOpenedData> {
    const grant = await openExperiment(this.#events, this.#policy, opening);
    const { experimentId, experimentToken, expiresAtMs } = grant;
    return { experimentId, experimentToken, expiresAtMs };
  }

  /** Extension `experiment.move`: puts an experiment into a folder, null being the root. */
  async moveExperiment(
    experiment: ExperimentIdentity,
    folderId: string | null,
  ): Promise<ExperimentMovedData> {
    return settledWrite({
      event: "svc.v2.experiment.move",
      policy: this.#policy,
      attempt: () => this.#events.single("svc.v2.experiment.move", { ...experiment, folderId }),
      settle: async () => {
        const record = await this.experiment(experiment);
        if (record.folderId !== folderId) return undefined;
        return { experimentId: record.experimentId, folderId };
      },
    });
  }

  /**
   * Changes an experiment's description, or single values of its meta, if the values seen before
   * still stand. Otherwise nothing is changed, and EditConflictError has the present values.
   * Opening the slug again replaces both.
   */
  editExperiment(edit: EditBody, signal?: AbortSignal): Promise<EditReply> {
    return this.#calls.json(endpoints.editExperiment, { body: edit, repeatable: true, signal });
  }

  /**
   * Adds an annotation to an experiment without its token, optionally at a step. Its meta names the
   * signed-in person. Repetitions with one messageId add nothing.
   */
  annotate(
    note: Omit<NoteBody, "messageId"> & { messageId?: string },
    signal?: AbortSignal,
  ): Promise<NoteReply> {
    return this.#calls.json(endpoints.addNote, {
      body: { messageId: freshMessageId(), ...note },
      repeatable: true,
      signal,
    });
  }

  // ---- reading

  /** `query.experiment`. EventError `experiment_not_found` when there is none. */
  experiment(identity: ExperimentIdentity, signal?: AbortSignal): Promise<ExperimentRecord> {
    return this.#events.read("svc.v2.query.experiment", identity, signal);
  }

  /** `query.experiments` for any number of ids, 500 a request; records in the requested order. */
  async experiments(experimentIds: readonly string[]): Promise<ExperimentsResultData> {
    const all: ExperimentsResultData = { experiments: [], missingExperimentIds: [] };
    for (const ids of groups(experimentIds)) {
      const part = await this.#events.read("svc.v2.query.experiments", { experimentIds: ids });
      all.experiments.push(...part.experiments);
      all.missingExperimentIds.push(...part.missingExperimentIds);
    }
    return all;
  }

  /** `query.revisions`: counters that grow with each change, to find out cheaply what to reread. */
  async revisions(experimentIds: readonly string[]): Promise<RevisionsResultData> {
    const all: RevisionsResultData = { experiments: [], missingExperimentIds: [] };
    for (const ids of groups(experimentIds)) {
      const part = await this.#events.read("svc.v2.query.revisions", { experimentIds: ids });
      all.experiments.push(...part.experiments);
      all.missingExperimentIds.push(...part.missingExperimentIds);
    }
    return all;
  }

  /** `query.catalog`: the names of all series with the values seen for each metadata key. */
  catalog(identity: ExperimentIdentity): Promise<CatalogResultData> {
    return this.#events.read("svc.v2.query.catalog", identity);
  }

  /** `query.annotations`: newest first, at most 100,000; `truncated` says that older ones exist. */
  annotations(identity: ExperimentIdentity, signal?: AbortSignal): Promise<AnnotationsResultData> {
    return this.#events.read("svc.v2.query.annotations", identity, signal);
  }

  /** `query.attributes`: name, params, tags, data sets and models as MLflow's clients see them. */
  attributes(identity: ExperimentIdentity, signal?: AbortSignal): Promise<AttributesResultData> {
    return this.#events.read("svc.v2.query.attributes", identity, signal);
  }

  /**
   * Waits until a condition holds for an experiment: `done`, `silent`, or tests of the query
   * language, in which a name that is no field is that of a metric (`val/loss < 3.3`, its last
   * value). Also ends when the run has ended without it. While the service is away it goes on.
   */
  async waitUntil(
    identity: ExperimentIdentity,
    until: string,
    options: WaitOptions = {},
  ): Promise<Waited> {
    const { experimentId } =
      "experimentId" in identity ? identity : await this.experiment(identity, options.signal);
    return waitUntil(this.views, this.#policy, { experimentId, until }, options);
  }

  /** `query.experimentseries` by blocks in constant memory; see `streamSeries` for its failures. */
  series(selection: SeriesSelection, signal?: AbortSignal): AsyncGenerator<SeriesBlock> {
    return streamSeries(this.#access, selection, signal);
  }

  /** The same, collected in memory and retried from the start until complete. */
  collectSeries(selection: SeriesSelection, signal?: AbortSignal): Promise<SeriesPartition[]> {
    return collectSeries(this.#access, selection, this.#policy, signal);
  }
}

function credentialOf({ apiKey, credential }: ClientOptions): () => Promise<string> {
  if (credential !== undefined) return credential;
  // Callers in JavaScript may pass anything, such as an environment variable that is not set.
  if (typeof apiKey !== "string" || apiKey === "") {
    throw new LosslessError("the API key (apiKey) is missing or empty");
  }
  // Keys in mounted secret files end with a newline.
  const key = apiKey.trim();
  if (!/^[!-~]+$/.test(key)) {
    throw new LosslessError("the API key has characters that no key has");
  }
  return async () => key;
}

function groups(ids: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (let start = 0; start < ids.length; start += idsPerRequest) {
    groups.push(ids.slice(start, start + idsPerRequest));
  }
  return groups;
}

/** Whether an error is an EventError or RequestError with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return (error instanceof EventError || error instanceof RequestError) && error.code === code;
}
