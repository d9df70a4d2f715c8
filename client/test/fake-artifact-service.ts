import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

interface StoredFile {
  name: string;
  size: number;
  partSize: number;
  parts: (StoredPart | undefined)[];
}

interface StoredPart {
  size: number;
  etag: string;
  bytes: Buffer | undefined;
}

interface Upload {
  id: string;
  artifact: string;
  version: string;
  epoch: number;
  meta: unknown;
  location: string;
  files: StoredFile[];
  state: "pending" | "abandoned" | "committed";
  committed: string;
}

interface Artifact {
  epoch: number;
  versions: Upload[];
}

export interface Call {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown>;
  /** Only a request to the store has one. */
  part?: { upload: string; file: number; number: number; location: string };
  range?: string | undefined;
}

/** What goes wrong with one request. */
export type StoreFault =
  | { kind: "status"; status: number; code?: string; body?: Record<string, unknown> }
  /** Somebody in between answers, with a page. */
  | { kind: "proxy"; status: number }
  /** The connection breaks before anything happens. */
  | { kind: "drop" }
  /** It happens, and the connection breaks before the reply. */
  | { kind: "lost-reply" }
  /** GET: breaks after this many bytes; changes a byte; or answers as if no range was asked for. */
  | { kind: "cut"; bytes: number }
  | { kind: "corrupt" }
  | { kind: "whole" }
  | { kind: "silence" };

const version = /^(?!latest$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Service and store in one, in memory, strict about the protocol: it answers 400 to whatever is not
 * in the specification, forgets nothing that it should know, believes no part unseen.
 */
export class FakeArtifactService implements AsyncDisposable {
  readonly calls: Call[] = [];
  readonly artifacts = new Map<string, Artifact>();
  readonly uploads = new Map<string, Upload>();
  readonly notes = new Map<string, Buffer>();
  /** In the order in which they are chosen. */
  locations = ["loc-1"];
  partSize = 8 * 1_048_576;
  /** Sizes only: for files that are larger than the memory. */
  keepsBytes = true;
  addressLifetimeMs = 3_600_000;
  /** What the store answers to a part; without an ETag the commit has to name an empty one. */
  partReply = { status: 200, etag: true };
  /** Added to the time that the service tells: clients must not compare it with their own. */
  clockOffsetMs = 0;
  /** Addresses of a generation below this are refused. */
  refusedBelow = 0;
  fault: (call: Call) => StoreFault | undefined = () => undefined;
  #generation = 0;
  #ids = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port = 0): Promise<FakeArtifactService> {
    const server = createServer((request, response) => {
      service.#answer(request, response).catch((error: unknown) => {
        response.destroy(error as Error);
      });
    });
    // Ours to answer: a store may refuse before it has read anything.
    server.on("checkContinue", (request, response) => {
      const call = callOf(request);
      const refusal = call.part && service.#refusedPart(call);
      if (refusal === undefined) response.writeContinue();
      server.emit("request", request, response);
    });
    const service = new FakeArtifactService(server);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests of this path, for instance `/api/v1/versions/resign`. */
  of(path: string): Call[] {
    return this.calls.filter((call) => call.path === path);
  }

  /** Requests that sent a part. */
  get partsSent(): Call[] {
    return this.calls.filter((call) => call.method === "PUT" && call.part !== undefined);
  }

  get committed(): Upload[] {
    return [...this.uploads.values()].filter(({ state }) => state === "committed");
  }

  /** Content of a committed file. */
  content(artifact: string, name: string): Buffer {
    const latest = this.artifacts.get(artifact)?.versions.at(-1);
    const file = latest?.files.find((one) => one.name === name);
    if (file === undefined) throw new Error(`no file ${name} in the latest version of ${artifact}`);
    return Buffer.concat(file.parts.map((part) => part?.bytes ?? Buffer.alloc(0)));
  }

  /** Another writer opens the artifact. */
  takeOver(artifact: string): void {
    const found = this.#artifact(artifact);
    found.epoch++;
    for (const upload of this.uploads.values()) {
      if (upload.artifact === artifact && upload.state === "pending") upload.state = "abandoned";
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = callOf(request);
    this.calls.push(call);
    response.setHeader("date", new Date(Date.now() + this.clockOffsetMs).toUTCString());
    const fault = this.fault(call);
    if (fault?.kind === "drop") return void request.socket.destroy();
    if (fault?.kind === "silence") return;
    if (fault?.kind === "proxy") {
      response.writeHead(fault.status, { connection: "close", "content-type": "text/html" });
      return void response.end(`<html><h1>${fault.status} as the test wants</h1></html>`);
    }
    if (fault?.kind === "status") {
      response.writeHead(fault.status, { connection: "close" });
      const body = { error: fault.code ?? "upstream", message: "as the test wants", ...fault.body };
      return void response.end(JSON.stringify(body));
    }
    if (call.part !== undefined) {
      if (call.method === "GET") return this.#readObject(call, response, fault);
      return this.#writePart(call, request, response, fault);
    }
    const bytes = await buffer(request);
    if (request.headers.authorization !== "Bearer ak_test") {
      return failure(response, 401, "unauthorized");
    }
    if (call.path === "/api/v1/artifacts/note") return this.#note(call, bytes, response);
    call.body = bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Call["body"]);
    const answer = this.#run(call);
    if (fault?.kind === "lost-reply") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.body));
  }

  #run(call: Call): { status: number; body: unknown } {
    const { artifact = "" } = call.query;
    switch (`${call.method} ${call.path}`) {
      case "GET /api/v1/whoami":
        return ok({ orgId: "org", userId: null, credential: "api_key" });
      case "POST /api/v1/artifacts/open":
        return this.#open(artifact, call.body);
      case "POST /api/v1/versions/begin":
        return this.#begin(artifact, call.query["version"] ?? "", call.body);
      case "POST /api/v1/versions/resign":
        return this.#resign(artifact, call.query["upload"] ?? "", call.body);
      case "POST /api/v1/versions/commit":
        return this.#commit(artifact, call.query["upload"] ?? "", call.body);
      case "GET /api/v1/versions/read":
        return this.#read(artifact, call.query);
      case "GET /api/v1/versions/list":
        return this.#list(artifact, call.query["after"] ?? "");
      case "GET /api/v1/artifacts/list":
        return this.#artifacts(call.query["under"] ?? "", call.query["after"] ?? "");
      default:
        return refused(404, "not_found");
    }
  }

  #open(artifact: string, body: Record<string, unknown>) {
    if (!only(body, ["mode", "place", "source"]) || !isPlace(body["place"])) return bad("open");
    const found = this.#artifact(artifact);
    const isLatest = body["mode"] === "latest";
    if (isLatest && found.versions.length === 0) return refused(404, "not_found");
    if (!isLatest && found.versions.length > 0) return refused(409, "not_empty");
    const source = body["mode"] === "fork" ? String(body["source"]) : null;
    const from = isLatest ? found : this.artifacts.get(source ?? "");
    if (source !== null && from === undefined) return refused(404, "not_found");
    this.takeOver(artifact);
    const latest = from?.versions.at(-1);
    const version = latest === undefined ? null : this.#record(latest, true);
    return ok({ epoch: found.epoch, version, source });
  }

  #begin(artifact: string, name: string, body: Record<string, unknown>) {
    const fields = ["epoch", "place", "files", "meta", "exclude"];
    if (!only(body, fields) || !isPlace(body["place"]) || !version.test(name)) return bad("begin");
    if (JSON.stringify(body["meta"]).length > 65_536) return bad("meta is too large");
    const found = this.#artifact(artifact);
    if (body["epoch"] !== found.epoch) return this.#superseded(found);
    const latest = found.versions.at(-1);
    if (latest !== undefined && name <= latest.version) return refused(409, "not_after_latest");
    const exclude = (body["exclude"] ?? []) as string[];
    const location = this.locations.find((id) => !exclude.includes(id));
    if (location === undefined) return refused(409, "not_ready");
    const given = body["files"] as { name: string; size: number }[];
    if (given.length === 0 || given.length > 5_000) return bad("files");
    if (new Set(given.map((file) => file.name)).size !== given.length) return bad("names");
    const files = given.map((file) => {
      const count = Math.max(1, Math.ceil(file.size / this.partSize));
      const parts = new Array<StoredPart | undefined>(count).fill(undefined);
      return { name: file.name, size: file.size, partSize: this.partSize, parts };
    });
    const id = `upload-${++this.#ids}`;
    const { epoch } = found;
    const upload: Upload = {
      id,
      artifact,
      version: name,
      epoch,
      meta: body["meta"],
      location,
      files,
      state: "pending",
      committed: "",
    };
    this.uploads.set(id, upload);
    const warning = exclude.length > 0 ? `${location} is used in place of another` : null;
    return { status: 201, body: this.#signed(upload, warning) };
  }

  #resign(artifact: string, id: string, body: Record<string, unknown>) {
    if (!only(body, ["epoch"])) return bad("resign");
    const upload = this.uploads.get(id);
    if (upload === undefined || upload.artifact !== artifact) return refused(404, "not_found");
    const found = this.#artifact(artifact);
    if (upload.state === "committed") return refused(409, "conflict");
    if (body["epoch"] !== found.epoch) return this.#superseded(found);
    if (upload.state === "abandoned") return refused(404, "not_found");
    return ok(this.#signed(upload, null));
  }

  #commit(artifact: string, id: string, body: Record<string, unknown>) {
    if (!only(body, ["epoch", "files"])) return bad("commit");
    const upload = this.uploads.get(id);
    if (upload === undefined || upload.artifact !== artifact) return refused(404, "not_found");
    if (upload.state === "committed") return ok(committedOf(upload));
    const found = this.#artifact(artifact);
    if (body["epoch"] !== found.epoch) return this.#superseded(found);
    const sent = body["files"] as { name: string; etags: string[] }[];
    for (const [index, file] of upload.files.entries()) {
      const etags = sent[index]?.name === file.name ? sent[index].etags : [];
      const isSame =
        etags.length === file.parts.length &&
        file.parts.every((part, number) => part !== undefined && part.etag === etags[number]);
      if (!isSame) return bad(`etags of ${file.name}`);
      if (file.parts.reduce((sum, part) => sum + part!.size, 0) !== file.size) return bad("sizes");
    }
    upload.state = "committed";
    upload.committed = new Date(Date.now() + this.clockOffsetMs).toISOString();
    found.versions.push(upload);
    return ok(committedOf(upload));
  }

  #read(artifact: string, query: Record<string, string>) {
    const { versions } = this.#artifact(artifact);
    const wanted = query["version"];
    const found =
      wanted === "latest" ? versions.at(-1) : versions.find((one) => one.version === wanted);
    if (found === undefined) return refused(404, "not_found");
    return ok(this.#record(found, query["urls"] === "1"));
  }

  #list(artifact: string, after: string) {
    const above = this.#artifact(artifact).versions.filter((one) => one.version > after);
    const page = above.slice(0, 2).map((one) => this.#record(one, false));
    return ok({ versions: page, next: above.length > 2 ? page.at(-1)!.version : null });
  }

  #artifacts(under: string, after: string) {
    const all = [...this.artifacts].filter(([, { versions }]) => versions.length > 0);
    const names = all.map(([name]) => name).filter((name) => name.startsWith(under));
    const above = names.sort().filter((name) => name > after);
    const entries = above.slice(0, 2).map((artifact) => {
      const { versions } = this.#artifact(artifact);
      const latest = versions.at(-1)!;
      const bytes = versions.reduce((sum, one) => sum + this.#record(one, false).bytes, 0);
      const { version: name, committed } = latest;
      return {
        artifact,
        versions: versions.length,
        bytes,
        latest: name,
        lastCommit: committed,
        source: null,
      };
    });
    return ok({ artifacts: entries, next: above.length > 2 ? entries.at(-1)!.artifact : null });
  }

  #note({ method, query }: Call, bytes: Buffer, response: ServerResponse): void {
    const key = `${query["artifact"]}\n${query["note"]}`;
    if (method === "PUT") {
      this.notes.set(key, bytes);
      response.writeHead(204).end();
      return;
    }
    const found = this.notes.get(key);
    if (found === undefined) return failure(response, 404, "not_found");
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(found);
  }

  #signed(upload: Upload, warning: string | null) {
    const generation = ++this.#generation;
    const files = upload.files.map(({ name, size, partSize, parts }, file) => ({
      name,
      size,
      partSize,
      parts: parts.map((_, number) => {
        const length = Math.min(partSize, size - number * partSize);
        const path = `/store/${upload.location}/${upload.id}/${file}/${number}/${generation}`;
        return { url: this.url + path, headers: { "Content-Length": String(length) } };
      }),
    }));
    const location = { id: upload.location, cloud: "local", region: "local" };
    const placement = { location, match: "region" };
    return { upload: upload.id, placement, warning, expires: this.#expires(), files };
  }

  #expires(): string {
    return new Date(Date.now() + this.clockOffsetMs + this.addressLifetimeMs).toISOString();
  }

  #record(upload: Upload, urls: boolean) {
    const generation = urls ? ++this.#generation : 0;
    const files = upload.files.map(({ name, size }, file) => {
      const path = `/store/${upload.location}/${upload.id}/${file}/0/${generation}`;
      return { name, size, url: urls ? this.url + path : null };
    });
    return {
      artifact: upload.artifact,
      version: upload.version,
      committed: upload.committed,
      location: { id: upload.location, cloud: "local", region: "local" },
      transfer: "local",
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      meta: upload.meta,
      source: null,
      expires: urls ? this.#expires() : null,
      files,
    };
  }

  #refusedPart(call: Call): { status: number; code: string } | undefined {
    const generation = Number(call.path.split("/").at(-1));
    if (generation < this.refusedBelow) return { status: 403, code: "forbidden" };
    const upload = this.uploads.get(call.part!.upload);
    if (upload?.state !== "pending") return { status: 404, code: "not_found" };
    return undefined;
  }

  async #writePart(
    call: Call,
    request: IncomingMessage,
    response: ServerResponse,
    fault: StoreFault | undefined,
  ): Promise<void> {
    const refusal = this.#refusedPart(call);
    if (refusal !== undefined) {
      response.setHeader("connection", "close");
      return failure(response, refusal.status, refusal.code);
    }
    const { upload, file: index, number } = call.part!;
    const file = this.uploads.get(upload)!.files[index];
    const length = Math.min(file.partSize, file.size - number * file.partSize);
    if (request.headers["content-length"] !== String(length)) {
      return failure(response, 400, "bad_request");
    }
    const hash = createHash("md5");
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (!this.keepsBytes) continue;
      hash.update(chunk as Buffer);
      chunks.push(chunk as Buffer);
    }
    const { status, etag: hasEtag } = this.partReply;
    const etag = hasEtag ? `"${hash.digest("hex")}-Zz/+ "` : "";
    const bytes = this.keepsBytes ? Buffer.concat(chunks) : undefined;
    if (size === length) file.parts[number] = { size, etag, bytes };
    if (fault?.kind === "lost-reply") return void request.socket.destroy();
    response.writeHead(status, hasEtag ? { etag } : {}).end();
  }

  async #readObject(
    call: Call,
    response: ServerResponse,
    fault: StoreFault | undefined,
  ): Promise<void> {
    const generation = Number(call.path.split("/").at(-1));
    if (generation < this.refusedBelow) return failure(response, 403, "forbidden");
    const { upload, file: index } = call.part!;
    const file = this.uploads.get(upload)!.files[index];
    const content = Buffer.concat(file.parts.map((part) => part?.bytes ?? Buffer.alloc(0)));
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(call.range ?? "") ?? [];
    const isWhole = first === undefined || fault?.kind === "whole";
    const start = isWhole ? 0 : Number(first);
    const end = isWhole ? content.length : Math.min(content.length, Number(last) + 1);
    const body = Buffer.from(content.subarray(start, end));
    if (fault?.kind === "corrupt") body[0] = (body[0] ?? 0) ^ 1;
    response.setHeader("content-length", body.length);
    if (!isWhole) {
      response.setHeader("content-range", `bytes ${start}-${end - 1}/${content.length}`);
    }
    response.writeHead(isWhole ? 200 : 206);
    if (fault?.kind !== "cut") return void response.end(body);
    response.write(body.subarray(0, fault.bytes));
    setTimeout(() => response.destroy(), 20);
  }

  #artifact(path: string): Artifact {
    const found = this.artifacts.get(path) ?? { epoch: 0, versions: [] };
    this.artifacts.set(path, found);
    return found;
  }

  #superseded({ epoch }: Artifact) {
    return { status: 409, body: { error: "superseded", message: "Another writer.", epoch } };
  }
}

function callOf(request: IncomingMessage): Call {
  const url = new URL(request.url ?? "/", "http://fake");
  const query = Object.fromEntries(url.searchParams);
  const call: Call = { method: request.method ?? "", path: url.pathname, query, body: {} };
  const [, , location, upload, file, number] = url.pathname.split("/");
  if (url.pathname.startsWith("/store/")) {
    call.part = {
      location: location ?? "",
      upload: upload ?? "",
      file: Number(file),
      number: Number(number),
    };
    call.range = request.headers.range;
  }
  return call;
}

function committedOf({ version: name, committed }: Upload) {
  return { version: name, committed };
}

function only(body: Record<string, unknown>, fields: readonly string[]): boolean {
  return Object.keys(body).every((field) => fields.includes(field));
}

function isPlace(value: unknown): boolean {
  const place = value as Record<string, unknown> | undefined;
  const words = ["cloud", "region", "source"];
  return (
    Object.keys(place ?? {}).length === 3 &&
    words.every((word) => typeof place?.[word] === "string")
  );
}

function ok(body: unknown) {
  return { status: 200, body };
}

function refused(status: number, code: string, message = `it is ${code}`) {
  return { status, body: { error: code, message } };
}

function bad(what: string) {
  return refused(400, "bad_request", `not as specified: ${what}`);
}

function failure(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: code, message: `it is ${code}` }));
}
