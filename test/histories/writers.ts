import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { call, type HttpReply, type HttpRequest, type JsonObject, parseObject } from "../http.ts";
import { Random } from "../random.ts";
import type { Operation, Reply, Request } from "./operation.ts";

export interface HistoryOptions {
  seed: number;
  artifact: string;
  writers: number;
  operations: number;
  credential: string;
  /** It is the service's address now; each start changes it, and there may be several nodes. */
  baseUrl: (random: Random) => string;
}

const place = { cloud: "local", region: "local", source: "history" };

/**
 * Lets writers of one artifact take it over from each other, begin, send, commit and read, each at
 * its own pace, and writes down what they saw. A writer that is superseded opens again, at once or
 * after it has tried to go on for a while: a paused process that does not know.
 */
export async function recordHistory(options: HistoryOptions): Promise<Operation[]> {
  const history: Operation[] = [];
  // Reads wait for nobody and would be most of it: they count a quarter.
  const take = (): boolean => {
    const reads = history.filter(({ request }) => request.kind === "read").length;
    return history.length - 0.75 * reads < options.operations;
  };
  const writers = Array.from({ length: options.writers }, (_, index) =>
    new Writer(options, index, history).run(take),
  );
  await Promise.all(writers);
  return history;
}

class Writer {
  readonly #options: HistoryOptions;
  readonly #random: Random;
  readonly #history: Operation[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #epoch = 0;
  #upload: { version: string; id: string; etags: string[] } | undefined;
  #latest: string | null = null;

  constructor(options: HistoryOptions, index: number, history: Operation[]) {
    this.#options = options;
    this.#random = new Random(options.seed * 1_000 + index);
    this.#history = history;
  }

  async run(take: () => boolean): Promise<void> {
    while (take()) {
      await this.#step();
      // Mostly at once; now and then a pause in which others take over.
      if (this.#random.chance(0.05)) await sleep(this.#random.below(60));
    }
    this.#agent.destroy();
  }

  /** Few take over at a time: were all of them to, nobody would ever come to commit. */
  async #step(): Promise<void> {
    const isWriter = this.#epoch > 0;
    if (this.#random.chance(0.02)) return this.#open();
    if (!isWriter || this.#random.chance(0.15)) {
      if (!isWriter) await sleep(this.#random.below(40));
      return this.#read();
    }
    return this.#upload === undefined ? this.#begin() : this.#commit();
  }

  async #open(): Promise<void> {
    const mode = this.#latest === null && this.#random.chance(0.7) ? "new" : "latest";
    const reply = await this.#observe(
      { kind: "open", mode },
      { path: this.#path("artifacts/open"), body: { mode, place } },
      (body) => ({ kind: "ok", epoch: body.epoch as number, latest: nameOf(body.version) }),
    );
    if (reply.kind !== "ok") return;
    this.#epoch = reply.epoch!;
    this.#latest = reply.latest ?? null;
    this.#upload = undefined;
  }

  async #read(): Promise<void> {
    const reply = await this.#observe(
      { kind: "read" },
      { path: `${this.#path("versions/read")}&version=latest` },
      (body) => ({ kind: "ok", latest: body.version as string }),
    );
    if (reply.kind === "ok") this.#latest = reply.latest!;
  }

  async #begin(): Promise<void> {
    const above = Number(this.#latest ?? 0) + this.#random.below(3);
    const version = String(above).padStart(6, "0");
    const size = 1 + this.#random.below(40);
    const body = { epoch: this.#epoch, place, files: [{ name: "weights", size }], meta: {} };
    const path = `${this.#path("versions/begin")}&version=${version}`;
    let begun: JsonObject | undefined;
    const reply = await this.#observe(
      { kind: "begin", epoch: this.#epoch, version },
      { path, body },
      (answer) => {
        begun = answer;
        return { kind: "ok" };
      },
    );
    if (reply.kind !== "ok" || begun === undefined) return this.#afterRefusal(reply);
    const [file] = begun.files as JsonObject[];
    const etags = await this.#send(file, Buffer.from(version.padEnd(size, ".").slice(0, size)));
    if (etags !== undefined) this.#upload = { version, id: begun.upload as string, etags };
  }

  /** Undefined when the bytes could not be sent: the service was killed, or the upload is dead. */
  async #send(file: JsonObject, bytes: Buffer): Promise<string[] | undefined> {
    const [part] = file.parts as { url: string; headers: Record<string, string> }[];
    const { origin, pathname, search } = new URL(part.url);
    const headers = { "content-type": "application/octet-stream", ...part.headers };
    try {
      const path = pathname + search;
      const reply = await call(origin, { method: "PUT", path, headers, body: bytes });
      return reply.status === 200 ? [reply.headers.etag!] : undefined;
    } catch {
      return undefined;
    }
  }

  async #commit(): Promise<void> {
    const { version, id, etags } = this.#upload!;
    const body = { epoch: this.#epoch, files: [{ name: "weights", etags }] };
    const reply = await this.#observe(
      { kind: "commit", epoch: this.#epoch, version, upload: id },
      { path: `${this.#path("versions/commit")}&upload=${id}`, body },
      () => ({ kind: "ok" }),
    );
    if (reply.kind === "unknown") return;
    if (reply.kind === "ok") this.#latest = version;
    // Sometimes an upload that is done or dead is committed once more.
    if (reply.kind === "ok" && this.#random.chance(0.2)) return;
    this.#upload = undefined;
    this.#afterRefusal(reply);
  }

  /** A writer told to stop mostly does; some go on with the old epoch, as a paused one would. */
  #afterRefusal(reply: Reply): void {
    const isLost = reply.kind === "refused" && reply.code === "superseded";
    if (isLost && this.#random.chance(0.6)) this.#epoch = 0;
    if (reply.kind === "refused" && reply.code === "not_after_latest") {
      this.#latest = String(Number(this.#latest ?? 0) + 3).padStart(6, "0");
    }
  }

  async #observe(
    request: Request,
    sent: HttpRequest,
    meaning: (body: JsonObject) => Reply,
  ): Promise<Reply> {
    const invokedMs = performance.now();
    const baseUrl = this.#options.baseUrl(this.#random);
    const { credential } = this.#options;
    let answer: HttpReply | undefined;
    try {
      answer = await call(baseUrl, { ...sent, credential, agent: this.#agent });
    } catch (error) {
      // Nobody listens: it never happened.
      if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") {
        await sleep(20);
        return { kind: "unknown" };
      }
    }
    if (answer?.status === 503 && answer.text.includes("is starting")) {
      await sleep(20);
      return { kind: "unknown" };
    }
    const reply = replyOf(answer, meaning);
    const returnedMs = reply.kind === "unknown" ? Infinity : performance.now();
    const isRead = request.kind === "read" || request.kind === "begin";
    // A request without effect and without an answer shows nothing.
    if (reply.kind !== "unknown" || !isRead) {
      this.#history.push({ invokedMs, returnedMs, request, reply });
    }
    return reply;
  }

  #path(endpoint: string): string {
    return `/api/v1/${endpoint}?artifact=${encodeURIComponent(this.#options.artifact)}`;
  }
}

/** Codes that a writer may be answered with; everything else below 500 is a defect and thrown. */
const expectedCodes = new Set(["not_found", "not_empty", "superseded", "not_after_latest"]);

function replyOf(answer: HttpReply | undefined, meaning: (body: JsonObject) => Reply): Reply {
  if (answer === undefined || answer.status >= 500) return { kind: "unknown" };
  const body = parseObject(answer.text);
  if (answer.status < 300) return meaning(body);
  const code = body.error as string;
  if (!expectedCodes.has(code)) throw new Error(`unexpected: ${answer.status} ${answer.text}`);
  return code === "superseded"
    ? { kind: "refused", code, epoch: body.epoch as number }
    : { kind: "refused", code };
}

function nameOf(version: unknown): string | null {
  return version === null ? null : (version as { version: string }).version;
}
