import { Name, Revision, type Term, type TermObject } from "./symbols.ts";

/** A request event as the model sees it: the short name and data that may hold names. */
export interface ModelEvent {
  messageId: string;
  event: string;
  data: TermObject;
}

/** The reply to a request: refused as a whole, or one reply an event. */
export type ModelReply = { refused: string } | { replies: { event: string; data: Term }[] };

interface Folder {
  id: Name;
  name: string;
  parent: Folder | undefined;
}

interface Token {
  id: Name;
  predecessor: Token | undefined;
  isRevoked: boolean;
  /** Real time of its first refresh: it works some 30 s more, so it is not presented much later. */
  refreshedAtMs: number | undefined;
}

interface Point {
  metricName: string;
  meta: Record<string, string>;
  step: number;
  timestampMs: number;
  value: number;
}

interface Experiment {
  id: Name;
  slug: string;
  record: TermObject;
  folder: Folder | undefined;
  tokens: Token[];
  annotations: TermObject[];
  /** In order of arrival. */
  points: Point[];
  payloads: Map<string, string>;
  version: number;
  seriesVersions: Map<string, number>;
}

interface Organization {
  folders: Folder[];
  experiments: Experiment[];
}

export interface SeriesRequest {
  experimentId: Term;
  seriesNames: string[] | undefined;
  filter: { metadataKey: string; metadataValue?: string }[];
  xAxis: "step" | "timestamp";
}

const notFound = {
  experiment: ["experiment_not_found", 404],
  folder: ["folder_not_found", 404],
} as const;

/**
 * The service in memory and as short as it can be: arrays and scans, no storage. It names ids,
 * tokens and times instead of choosing them.
 */
export class Reference {
  readonly #organizations: [Organization, Organization] = [
    { folders: [], experiments: [] },
    { folders: [], experiments: [] },
  ];
  readonly #counts = new Map<Name["kind"], number>();
  /** Every id that was ever given, for requests to pick from. */
  readonly names: Record<Name["kind"], Name[]> = {
    experiment: [],
    folder: [],
    token: [],
    annotation: [],
    time: [],
  };

  organizationEvents(organization: number, events: ModelEvent[]): ModelReply {
    const sole = events.some(
      ({ event }) => event === "query.experiments" || event === "query.revisions",
    );
    if (events.length === 0 || (sole && events.length > 1)) return { refused: "validation_failed" };
    return {
      replies: events.map((event) =>
        this.#answer(() => this.#organizationEvent(organization, event)),
      ),
    };
  }

  experimentEvents(experimentId: Name, token: Name, events: ModelEvent[]): ModelReply {
    const experiment = this.#organizations
      .flatMap(({ experiments }) => experiments)
      .find(({ id }) => id === experimentId);
    const presented = experiment?.tokens.find(({ id }) => id === token);
    if (experiment === undefined || presented === undefined || presented.isRevoked) {
      return { refused: "unauthorized" };
    }
    const isRevokeEarly = events
      .slice(0, -1)
      .some(({ event }) => event === "experiment.tokenRevoke");
    if (events.length === 0 || isRevokeEarly) return { refused: "validation_failed" };
    const ids = new Set(events.map(({ messageId }) => messageId));
    if (ids.size < events.length) return { refused: "duplicate_message_id" };
    return {
      replies: events.map((event) =>
        this.#answer(() => {
          if (event.data.experimentId !== experimentId) {
            const details = { expected: experimentId, received: event.data.experimentId };
            throw new Refusal("experiment_id_mismatch", 409, details);
          }
          return this.#experimentEvent(experiment, presented, event);
        }),
      ),
    };
  }

  /** Partitions by name and canonical meta, the summaries in the order of the specification. */
  series(organization: number, request: SeriesRequest): TermObject {
    const experiment = this.#organizations[organization].experiments.find(
      ({ id }) => id === request.experimentId,
    );
    const points = experiment?.points ?? [];
    const known = [...new Set(points.map(({ metricName }) => metricName))].sort(bytewise);
    const names = request.seriesNames === undefined ? known : [...new Set(request.seriesNames)];
    const partitions = new Map<string, Point[]>();
    for (const point of points) {
      const isWanted =
        names.includes(point.metricName) &&
        request.filter.every(
          ({ metadataKey, metadataValue }) =>
            Object.hasOwn(point.meta, metadataKey) &&
            (metadataValue === undefined || point.meta[metadataKey] === metadataValue),
        );
      if (!isWanted) continue;
      const key = `${point.metricName}\n${canonical(point.meta)}`;
      partitions.set(key, [...(partitions.get(key) ?? []), point]);
    }
    const [first, second] =
      request.xAxis === "step"
        ? (["step", "timestampMs"] as const)
        : (["timestampMs", "step"] as const);
    const read = [...partitions]
      .sort(([left], [right]) => bytewise(left, right))
      .map(([, list]) => {
        const sorted = list.toSorted(
          (left, right) => left[first] - right[first] || left[second] - right[second],
        );
        return {
          seriesName: list[0].metricName,
          metadata: list[0].meta,
          step: sorted.map(({ step }) => step),
          timestampMs: sorted.map(({ timestampMs }) => timestampMs),
          value: sorted.map(({ value }) => value),
        };
      });
    const withData = new Set(read.map(({ seriesName }) => seriesName));
    const summaries = names.map((seriesName) => ({
      seriesName,
      points: read
        .filter((one) => one.seriesName === seriesName)
        .reduce((sum, { step }) => sum + step.length, 0),
    }));
    // Which series without matching data are summarised when no names were given is left open.
    const shown =
      request.seriesNames === undefined
        ? summaries.filter(({ seriesName }) => withData.has(seriesName))
        : summaries;
    return { partitions: read, summaries: shown };
  }

  /** Tokens whose validity does not depend on how fast this machine is, with their experiments. */
  get tokens(): { token: Name; experimentId: Name }[] {
    const experiments = this.#organizations.flatMap((organization) => organization.experiments);
    const isCertain = ({ refreshedAtMs }: Token): boolean =>
      refreshedAtMs === undefined || Date.now() - refreshedAtMs < 10_000;
    return experiments.flatMap(({ id, tokens }) =>
      tokens.filter(isCertain).map((token) => ({ token: token.id, experimentId: id })),
    );
  }

  #answer(run: () => { event: string; data: Term }): { event: string; data: Term } {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, status, details } = error;
      return { event: "error", data: { code, status, retryable: false, details } };
    }
  }

  #organizationEvent(number: number, { event, data }: ModelEvent): { event: string; data: Term } {
    const organization = this.#organizations[number];
    const result = `${event}.result`;
    switch (event) {
      case "folder.create":
        return { event: "folder.created", data: this.#createFolder(organization, data) };
      case "folder.update":
        return { event: "folder.updated", data: this.#updateFolder(organization, data) };
      case "folder.delete":
        return { event: "folder.deleted", data: this.#deleteFolder(organization, data) };
      case "experiment.open":
        return { event: "experiment.opened", data: this.#open(organization, data) };
      case "experiment.move":
        return { event: "experiment.moved", data: this.#move(organization, data) };
      case "experiment.tokenRefresh":
        return { event: "experiment.tokenRefreshed", data: this.#refresh(organization, data) };
      case "foldertree.read":
        return { event: result, data: this.#tree(organization, undefined) };
      case "query.experiment":
        return { event: result, data: this.#record(this.#find(organization, data)) };
      case "query.catalog":
        return { event: result, data: this.#catalog(organization, data) };
      case "query.annotations": {
        const { id, annotations } = this.#find(organization, data);
        return {
          event: result,
          data: { experimentId: id, annotations: annotations.toReversed(), truncated: false },
        };
      }
      case "query.experiments":
        return {
          event: result,
          data: this.#several(organization, data, (one) => this.#record(one)),
        };
      case "query.revisions":
        return { event: result, data: this.#several(organization, data, revisions) };
      default:
        throw new Error(`BUG: ${event} is no organization event`);
    }
  }

  #experimentEvent(
    experiment: Experiment,
    token: Token,
    { event, data, messageId }: ModelEvent,
  ): { event: string; data: Term } {
    const experimentId = experiment.id;
    switch (event) {
      case "experiment.start":
        return {
          event: "experiment.started",
          data: this.#status(experiment, "running", "startedAtMs"),
        };
      case "experiment.done":
        return {
          event: "experiment.completed",
          data: this.#status(experiment, "done", "doneAtMs"),
        };
      case "experiment.error":
        Object.assign(experiment.record, { error: data.error, errorMeta: data.meta });
        return { event: "experiment.failed", data: this.#status(experiment, "error", "errorAtMs") };
      case "experiment.metric":
        return { event: "metricRecorded", data: recordMetric(experiment, messageId, data) };
      case "experiment.annotate": {
        const annotationId = this.#fresh("annotation");
        const createdAtMs = this.#fresh("time");
        experiment.annotations.push({
          annotationId,
          annotation: data.annotation,
          meta: data.meta,
          createdAtMs,
        });
        experiment.version += 1;
        return { event: "experiment.annotated", data: { experimentId, annotationId, createdAtMs } };
      }
      case "experiment.tokenRevoke":
        // All it was refreshed from, which may still be in their 30 seconds.
        for (let one: Token | undefined = token; one !== undefined; one = one.predecessor) {
          one.isRevoked = true;
        }
        return { event: "experiment.tokenRevoked", data: { experimentId } };
      default:
        throw new Error(`BUG: ${event} is no experiment event`);
    }
  }

  #createFolder(organization: Organization, { name, parentFolderId }: TermObject): Term {
    const parent = parentFolderId === null ? undefined : folderOf(organization, parentFolderId);
    freeName(organization, parent, String(name), undefined);
    const folder = { id: this.#fresh("folder"), name: String(name), parent };
    organization.folders.push(folder);
    return shown(folder);
  }

  #updateFolder(organization: Organization, { folderId, name, parentFolderId }: TermObject): Term {
    const folder = folderOf(organization, folderId);
    let parent = folder.parent;
    if (parentFolderId !== undefined) {
      parent = parentFolderId === null ? undefined : folderOf(organization, parentFolderId);
      for (let above = parent; above !== undefined; above = above.parent) {
        if (above === folder) throw new Refusal("folder_cycle", 409);
      }
    }
    const next = name === undefined ? folder.name : String(name);
    freeName(organization, parent, next, folder);
    Object.assign(folder, { parent, name: next });
    return shown(folder);
  }

  #deleteFolder(organization: Organization, { folderId }: TermObject): Term {
    const folder = folderOf(organization, folderId);
    const isUsed =
      organization.folders.some(({ parent }) => parent === folder) ||
      organization.experiments.some((experiment) => experiment.folder === folder);
    if (isUsed) throw new Refusal("folder_not_empty", 409);
    organization.folders.splice(organization.folders.indexOf(folder), 1);
    return { folderId: folder.id };
  }

  #open(organization: Organization, { slug, description, meta }: TermObject): Term {
    let experiment = organization.experiments.find((one) => one.slug === slug);
    const updatedAtMs = this.#fresh("time");
    if (experiment === undefined) {
      experiment = {
        id: this.#fresh("experiment"),
        slug: String(slug),
        folder: undefined,
        tokens: [],
        annotations: [],
        points: [],
        payloads: new Map(),
        version: 0,
        seriesVersions: new Map(),
        record: {
          status: "running",
          error: null,
          errorMeta: null,
          startedAtMs: null,
          doneAtMs: null,
          errorAtMs: null,
          statusAtMs: updatedAtMs,
          createdAtMs: updatedAtMs,
        },
      };
      organization.experiments.push(experiment);
    }
    Object.assign(experiment.record, { description, meta, updatedAtMs });
    experiment.version += 1;
    return this.#issueToken(experiment, undefined);
  }

  #issueToken(experiment: Experiment, predecessor: Token | undefined): TermObject {
    const id = this.#fresh("token");
    experiment.tokens.push({ id, predecessor, isRevoked: false, refreshedAtMs: undefined });
    return { experimentId: experiment.id, experimentToken: id };
  }

  #refresh(organization: Organization, { experimentId, experimentToken }: TermObject): Term {
    const experiment = organization.experiments.find(({ id }) => id === experimentId);
    const token = experiment?.tokens.find(({ id }) => id === experimentToken);
    if (experiment === undefined || token === undefined || token.isRevoked) {
      throw new Refusal("experiment_token_invalid", 401);
    }
    token.refreshedAtMs ??= Date.now();
    return this.#issueToken(experiment, token);
  }

  #move(organization: Organization, data: TermObject): Term {
    const experiment = this.#find(organization, data);
    const folder = data.folderId === null ? undefined : folderOf(organization, data.folderId);
    experiment.folder = folder;
    experiment.record.updatedAtMs = this.#fresh("time");
    experiment.version += 1;
    return { experimentId: experiment.id, folderId: folder?.id ?? null };
  }

  #status(experiment: Experiment, status: string, field: string): Term {
    const statusAtMs = this.#fresh("time");
    Object.assign(experiment.record, {
      status,
      statusAtMs,
      updatedAtMs: statusAtMs,
      [field]: statusAtMs,
    });
    experiment.version += 1;
    return { experimentId: experiment.id, status, statusAtMs };
  }

  #find({ experiments }: Organization, { experimentId, experimentSlug }: TermObject): Experiment {
    const found = experiments.find(
      ({ id, slug }) => id === experimentId || slug === experimentSlug,
    );
    if (found === undefined) throw new Refusal(...notFound.experiment);
    return found;
  }

  #record({ id, slug, record, folder }: Experiment): TermObject {
    return { experimentId: id, slug, ...record, folderId: folder?.id ?? null };
  }

  #tree(organization: Organization, parent: Folder | undefined): TermObject {
    const folders = organization.folders
      .filter((folder) => folder.parent === parent)
      .sort((left, right) => bytewise(left.name, right.name))
      .map((folder) => ({ ...shown(folder), ...this.#tree(organization, folder) }));
    const experiments = organization.experiments
      .filter(({ folder }) => folder === parent)
      .sort((left, right) => bytewise(left.slug, right.slug))
      .map(({ id, slug, record }) => {
        const { description, status, createdAtMs, updatedAtMs } = record;
        return { experimentId: id, slug, description, status, createdAtMs, updatedAtMs };
      });
    return { folders, experiments };
  }

  #catalog(organization: Organization, data: TermObject): Term {
    const { experimentId } = data;
    const experiment =
      experimentId === undefined
        ? this.#find(organization, data)
        : organization.experiments.find(({ id }) => id === experimentId);
    const points = experiment?.points ?? [];
    const names = [...new Set(points.map(({ metricName }) => metricName))].sort(bytewise);
    const series = names.map((seriesName) => {
      const values = new Map<string, Set<string>>();
      for (const { meta } of points.filter(({ metricName }) => metricName === seriesName)) {
        for (const [key, value] of Object.entries(meta)) {
          values.set(key, (values.get(key) ?? new Set()).add(value));
        }
      }
      const metadata = Object.fromEntries(
        [...values].map(([key, seen]) => [key, [...seen].sort(bytewise)]),
      );
      return { seriesName, metadata };
    });
    return { experimentId: experiment?.id ?? experimentId, series };
  }

  #several(
    { experiments }: Organization,
    { experimentIds }: TermObject,
    show: (experiment: Experiment) => Term,
  ): Term {
    const ids = [...new Set(experimentIds as Term[])];
    const found = ids.flatMap((wanted) => experiments.filter(({ id }) => id === wanted));
    const missing = ids.filter((wanted) => !experiments.some(({ id }) => id === wanted));
    return { experiments: found.map(show), missingExperimentIds: missing };
  }

  #fresh(kind: Name["kind"]): Name {
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const name = new Name(kind, number);
    this.names[kind].push(name);
    return name;
  }
}

class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: TermObject;
  constructor(code: string, status: number, details: TermObject = {}) {
    super(code);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

function recordMetric(experiment: Experiment, messageId: string, data: TermObject): Term {
  const { metricName, meta, step, timestampMs, metricValue } = data as unknown as Point & {
    metricValue: number;
  };
  const point = { metricName, meta, step, timestampMs, value: metricValue === 0 ? 0 : metricValue };
  const payload = JSON.stringify([metricName, canonical(meta), step, timestampMs, point.value]);
  const stored = experiment.payloads.get(messageId);
  if (stored !== undefined && stored !== payload) throw new Refusal("message_id_conflict", 409);
  if (stored === undefined) {
    experiment.payloads.set(messageId, payload);
    experiment.points.push(point);
    experiment.version += 1;
    experiment.seriesVersions.set(metricName, (experiment.seriesVersions.get(metricName) ?? 0) + 1);
  }
  return { experimentId: experiment.id, metricName, deduplicated: stored !== undefined };
}

function revisions({ id, version, seriesVersions }: Experiment): Term {
  const series = [...seriesVersions]
    .sort(([left], [right]) => bytewise(left, right))
    .map(([seriesName, count]) => ({
      seriesName,
      revision: new Revision(`${String(id)} ${seriesName}`, count),
    }));
  return { experimentId: id, revision: new Revision(String(id), version), series };
}

function folderOf({ folders }: Organization, wanted: Term): Folder {
  const folder = folders.find(({ id }) => id === wanted);
  if (folder === undefined) throw new Refusal(...notFound.folder);
  return folder;
}

function freeName(
  { folders }: Organization,
  parent: Folder | undefined,
  name: string,
  self: Folder | undefined,
): void {
  const holder = folders.find(
    (folder) => folder.parent === parent && folder.name === name && folder !== self,
  );
  if (holder !== undefined)
    throw new Refusal("folder_already_exists", 409, { folderId: holder.id });
}

function shown({ id, name, parent }: Folder): TermObject {
  return { folderId: id, name, parentFolderId: parent?.id ?? null };
}

function canonical(meta: Record<string, string>): string {
  return JSON.stringify(Object.entries(meta).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function bytewise(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
