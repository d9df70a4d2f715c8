import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { columnsReply, type Envelope, type EventReply, eventsOfColumns } from "./fake-columns.ts";

export interface Request {
  path: string;
  credential: string;
  gzip: boolean;
  accept: string;
  envelopes: Envelope[];
}

/** What goes wrong with one request. */
export type Fault =
  /** Answered with this status and code; nothing runs. */
  | { kind: "status"; status: number; code: string; retryAfter?: string }
  /** Everything runs, and the connection breaks before the reply. */
  | { kind: "lost-reply" }
  /** The connection breaks before anything runs. */
  | { kind: "lost-request" }
  /** Events for which `fails` is true get this error event; the others run. */
  | { kind: "partial"; fails: (envelope: Envelope) => boolean; code: string; status: number }
  /** Raw records (or their beginning) in place of a series stream. */
  | { kind: "stream"; lines: (correlationId: string) => (string | Buffer)[]; breaks?: boolean };

type MaybeLater<T> = T | Promise<T>;

interface StoredExperiment {
  experimentId: string;
  slug: string;
  description: unknown;
  meta: unknown;
  folderId: unknown;
  status: string;
  error: unknown;
  startedAtMs: number | null;
  doneAtMs: number | null;
  errorAtMs: number | null;
  updatedAtMs: number;
  points: Map<string, Record<string, unknown>>;
  annotations: { annotationId: string; annotation: unknown; meta: unknown; createdAtMs: number }[];
  tokens: Set<string>;
  /** Lines of the console, of each source. */
  lines: Map<string, { text: string }[]>;
}

interface PrintedBody {
  source: { id: string };
  first: number;
  lines: { text: string }[];
}

const eventsPath = /^\/api\/v2\/experiments\/(.+)\/events$/;
const columnsPath = /^\/api\/v2\/experiments\/(.+)\/columns$/;
const consolePath = /^\/api\/console\/v1\/experiments\/(.+)\/lines$/;

/** A small service in memory that does what the specification says, but for faults it is told. */
export class FakeService implements AsyncDisposable {
  readonly requests: Request[] = [];
  readonly experiments = new Map<string, StoredExperiment>();
  readonly folders: { folderId: string; name: unknown; parentFolderId: unknown }[] = [];
  /** Consulted for every request in turn; undefined: no fault. */
  fault: (request: Request, number: number) => MaybeLater<Fault | undefined> = () => undefined;
  tokenLifetimeMs = 86_400_000;
  /** Whether it takes points as columns, and says so. */
  takesColumns = false;
  /** How many annotations a reading gives; there are more: `truncated`. */
  annotationsMax = Infinity;
  readonly #server: Server;
  #ids = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<FakeService> {
    const server = createServer((request, response) => {
      void service.#answer(request, response);
    });
    const service = new FakeService(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The one experiment of most tests. */
  get only(): StoredExperiment {
    return [...this.experiments.values()][0];
  }

  /** Every event of this name that arrived, applied or not. */
  sent(event: string): Envelope[] {
    return this.requests.flatMap((request) => request.envelopes).filter((e) => e.event === event);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const gzip = message.headers["content-encoding"] === "gzip";
    const unpacked = gzip ? message.pipe(createGunzip()) : message;
    const bytes = await buffer(unpacked).catch(() => Buffer.alloc(0));
    const columns = columnsPath.exec(message.url ?? "")?.[1];
    const body = columns === undefined ? bytes.toString() : "";
    const ofColumns = columns === undefined ? [] : eventsOfColumns(bytes, columns);
    const parsed = body === "" ? ofColumns : (JSON.parse(body) as Envelope | Envelope[]);
    const request: Request = {
      path: message.url ?? "",
      credential: (message.headers.authorization ?? "").replace("Bearer ", ""),
      gzip,
      accept: message.headers.accept ?? "",
      envelopes: Array.isArray(parsed) ? parsed : [parsed],
    };
    this.requests.push(request);
    const fault = await this.fault(request, this.requests.length);
    if (fault?.kind === "lost-request") return void message.socket.destroy();
    if (fault?.kind === "status") return refuse(response, fault);
    if (request.path === "/api/v2/query/series") return this.#stream(request, response, fault);
    if (columns !== undefined && !this.takesColumns)
      return refuse(response, { kind: "status", status: 404, code: "not_found" });
    const refusal = this.#refusal(request);
    if (refusal !== undefined) return refuse(response, refusal);
    const printed = consolePath.exec(request.path)?.[1];
    const replies =
      printed !== undefined
        ? this.#print(printed, parsed)
        : request.envelopes.map((envelope) => this.#reply(envelope, request, fault));
    if (fault?.kind === "lost-reply") return void message.socket.destroy();
    response.setHeader("content-type", "application/json");
    if (this.takesColumns) response.setHeader("lossless-columns", "2, 1");
    if (columns !== undefined) {
      return void response.end(JSON.stringify(columnsReply(replies as EventReply[])));
    }
    const isStatus = request.path === "/api/v2/auth/status";
    const status = { auth: { kind: "api_key" }, organization: { id: "org", name: "acme" } };
    response.end(JSON.stringify(isStatus ? { data: status, error: null } : replies));
  }

  #refusal({ path, credential, envelopes }: Request): (Fault & { kind: "status" }) | undefined {
    const unauthorized = { kind: "status", status: 401, code: "unauthorized" } as const;
    const experimentId = [eventsPath, columnsPath, consolePath]
      .map((pattern) => pattern.exec(path)?.[1])
      .find((id) => id !== undefined);
    if (experimentId === undefined) return credential === "ak_test" ? undefined : unauthorized;
    if (!this.experiments.get(experimentId)?.tokens.has(credential)) return unauthorized;
    const ids = new Set(envelopes.map((envelope) => envelope.messageId));
    if (ids.size === envelopes.length) return undefined;
    return { kind: "status", status: 400, code: "duplicate_message_id" };
  }

  #print(experimentId: string, body: unknown): { next: number } {
    const { source, first, lines } = body as PrintedBody;
    const known = this.experiments.get(experimentId)!.lines;
    const stored = known.get(source.id) ?? [];
    known.set(source.id, stored);
    if (first <= stored.length) stored.push(...lines.slice(stored.length - first));
    return { next: stored.length };
  }

  #reply(envelope: Envelope, request: Request, fault: Fault | undefined): unknown {
    const correlationId = envelope.messageId;
    const messageId = `reply-${++this.#ids}`;
    if (fault?.kind === "partial" && fault.fails(envelope)) {
      return { messageId, correlationId, ...failure(fault.code, fault.status) };
    }
    const result = this.#run(envelope, request);
    return { messageId, correlationId, ...result };
  }

  #run({ event, data, messageId }: Envelope, request: Request): { event: string; data: unknown } {
    const nowMs = Date.now();
    switch (event) {
      case "svc.v2.folder.create": {
        const { name, parentFolderId } = data;
        const same = this.folders.find(
          (f) => f.name === name && f.parentFolderId === parentFolderId,
        );
        if (same) return failure("folder_already_exists", 409, { folderId: same.folderId });
        const folder = { folderId: `folder-${++this.#ids}`, name, parentFolderId };
        this.folders.push(folder);
        return { event: "svc.v2.folder.created", data: folder };
      }
      case "svc.v2.foldertree.read":
        return { event: `${event}.result`, data: { folders: this.#tree(null), experiments: [] } };
      case "svc.v2.experiment.open": {
        const found = [...this.experiments.values()].find((e) => e.slug === data["slug"]);
        const experiment = found ?? newExperiment(`experiment-${++this.#ids}`, nowMs);
        Object.assign(experiment, data, { updatedAtMs: nowMs });
        this.experiments.set(experiment.experimentId, experiment);
        return { event: "svc.v2.experiment.opened", data: this.#grant(experiment) };
      }
      case "svc.v2.experiment.move":
        this.#named(data).folderId = data["folderId"];
        return { event: "svc.v2.experiment.moved", data };
      case "svc.v2.experiment.tokenRefresh": {
        const experiment = this.#named(data);
        if (!experiment.tokens.has(data["experimentToken"] as string)) {
          return failure("experiment_token_invalid", 401);
        }
        return { event: "svc.v2.experiment.tokenRefreshed", data: this.#grant(experiment) };
      }
      case "svc.v2.query.experiment": {
        const experiment = this.#find(data);
        if (experiment === undefined) return failure("experiment_not_found", 404);
        const { points: _, annotations: __, tokens: ___, lines: ____, ...record } = experiment;
        return { event: `${event}.result`, data: record };
      }
      case "svc.v2.query.annotations": {
        const { experimentId, annotations } = this.#named(data);
        const newestFirst = [...annotations].reverse().slice(0, this.annotationsMax);
        const truncated = annotations.length >= this.annotationsMax;
        const result = { experimentId, annotations: newestFirst, truncated };
        return { event: `${event}.result`, data: result };
      }
      default:
        return this.#runWithToken(event, data, messageId, request, nowMs);
    }
  }

  #runWithToken(
    event: string,
    data: Record<string, unknown>,
    messageId: string,
    request: Request,
    nowMs: number,
  ): { event: string; data: unknown } {
    const experiment = this.#named(data);
    const { experimentId } = experiment;
    switch (event) {
      case "svc.v2.experiment.metric": {
        const before = experiment.points.get(messageId);
        const isSame = JSON.stringify(before) === JSON.stringify(data);
        if (before !== undefined && !isSame) return failure("message_id_conflict", 409);
        experiment.points.set(messageId, data);
        return { event: "svc.v2.metricRecorded", data: { experimentId, deduplicated: isSame } };
      }
      case "svc.v2.experiment.annotate": {
        const { annotation, meta } = data;
        const annotationId = `annotation-${++this.#ids}`;
        experiment.annotations.push({ annotationId, annotation, meta, createdAtMs: nowMs });
        const added = { experimentId, annotationId, createdAtMs: nowMs };
        return { event: "svc.v2.experiment.annotated", data: added };
      }
      case "svc.v2.experiment.start":
        Object.assign(experiment, { status: "running", startedAtMs: nowMs });
        break;
      case "svc.v2.experiment.done":
        Object.assign(experiment, { status: "done", doneAtMs: nowMs });
        break;
      case "svc.v2.experiment.error":
        Object.assign(experiment, { status: "error", error: data["error"], errorAtMs: nowMs });
        break;
      case "svc.v2.experiment.tokenRevoke":
        experiment.tokens.delete(request.credential);
        break;
      default:
        throw new Error(`the fake service does not know ${event}`);
    }
    return { event: `${event}.reply`, data: { experimentId } };
  }

  #stream(request: Request, response: ServerResponse, fault: Fault | undefined): void {
    response.setHeader("content-type", "application/x-ndjson");
    if (fault?.kind !== "stream") throw new Error("a stream test says which lines to send");
    const correlationId = request.envelopes[0]?.messageId ?? "";
    for (const line of fault.lines(correlationId)) response.write(line);
    if (fault.breaks) setTimeout(() => response.destroy(), 20);
    else response.end();
  }

  #grant(experiment: StoredExperiment) {
    const experimentToken = `ik_${++this.#ids}`;
    experiment.tokens.add(experimentToken);
    const { experimentId } = experiment;
    return { experimentId, experimentToken, expiresAtMs: Date.now() + this.tokenLifetimeMs };
  }

  #find(data: Record<string, unknown>): StoredExperiment | undefined {
    const { experimentId, experimentSlug } = data;
    return [...this.experiments.values()].find(
      (experiment) =>
        experiment.experimentId === experimentId || experiment.slug === experimentSlug,
    );
  }

  #named(data: Record<string, unknown>): StoredExperiment {
    const found = this.#find(data);
    if (found === undefined) throw new Error("the test names an experiment that does not exist");
    return found;
  }

  #tree(parent: unknown): unknown[] {
    return this.folders
      .filter((folder) => folder.parentFolderId === parent)
      .map((folder) => ({ ...folder, folders: this.#tree(folder.folderId), experiments: [] }));
  }
}

function newExperiment(experimentId: string, nowMs: number): StoredExperiment {
  return {
    experimentId,
    slug: "",
    description: "",
    meta: {},
    folderId: null,
    status: "running",
    error: null,
    startedAtMs: null,
    doneAtMs: null,
    errorAtMs: null,
    updatedAtMs: nowMs,
    points: new Map(),
    annotations: [],
    tokens: new Set(),
    lines: new Map(),
  };
}

function failure(code: string, status: number, details: object = {}) {
  const retryable = status === 429 || status >= 500;
  return { event: "svc.v2.error", data: { code, message: code, status, retryable, details } };
}

function refuse(response: ServerResponse, fault: Fault & { kind: "status" }): void {
  const details = `code=${fault.code}; request_id=request-1`;
  if (fault.retryAfter !== undefined) response.setHeader("retry-after", fault.retryAfter);
  response.writeHead(fault.status, { "content-type": "application/json" });
  response.end(JSON.stringify({ data: null, error: { message: `it is ${fault.code}`, details } }));
}
