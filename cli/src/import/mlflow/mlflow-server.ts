import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../../command.ts";

/** A message of MLflow's REST interface. */
export type Message = Readonly<Record<string, unknown>>;

export interface MlflowAddress {
  /** Without a trailing slash. */
  url: string;
  /** The header Authorization, if any; requested for every attempt. */
  authorization: () => Promise<string | undefined>;
  /** Further headers of every request. */
  headers?: Readonly<Record<string, string>>;
}

/** Statuses after which a request is retried. */
const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const patienceMs = 300_000;
/** Milliseconds until the head of a reply: a search of a large server takes its time. */
const timeoutMs = 120_000;

/** A server that speaks MLflow's REST interface: MLflow's own, or this service. */
export class MlflowServer {
  readonly url: string;
  readonly #address: MlflowAddress;

  constructor(address: MlflowAddress) {
    this.url = address.url;
    this.#address = address;
  }

  async get(path: string, query: Readonly<Record<string, string>>): Promise<Message> {
    const search = new URLSearchParams(query).toString();
    return messageOf(await this.#answer(`/api/2.0/mlflow/${path}?${search}`, "GET"));
  }

  /** Sends a POST; one that must not happen twice (`isRepeatable` false) is sent once. */
  async post(path: string, message: Message, isRepeatable = true): Promise<Message> {
    const body = JSON.stringify(message);
    const init = { body, headers: { "content-type": "application/json" } };
    const patience = isRepeatable ? patienceMs : 0;
    return messageOf(await this.#answer(`/api/2.0/mlflow/${path}`, "POST", init, patience));
  }

  /** Sends a PATCH, which may be repeated. */
  async ask(method: "PATCH", path: string, message: Message): Promise<Message> {
    const body = JSON.stringify(message);
    const init = { body, headers: { "content-type": "application/json" } };
    return messageOf(await this.#answer(`/api/2.0/mlflow/${path}`, method, init));
  }

  /** Sends a GET; undefined when the reply says that it does not exist. */
  async find(path: string, query: Readonly<Record<string, string>>): Promise<Message | undefined> {
    try {
      return await this.get(path, query);
    } catch (error) {
      if (error instanceof MlflowError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Yields the items of all pages of a list read by POST. */
  async *search(path: string, message: Message, name: string): AsyncGenerator<Message> {
    let pageToken: unknown;
    do {
      const token = pageToken === undefined ? {} : { page_token: pageToken };
      const reply = await this.post(path, { ...message, ...token });
      yield* listIn(reply, name);
      pageToken = reply["next_page_token"] || undefined;
    } while (pageToken !== undefined);
  }

  /** Yields the pages of a list read by GET. */
  async *pages(
    path: string,
    query: Readonly<Record<string, string>>,
    name: string,
  ): AsyncGenerator<Message[]> {
    let pageToken = "";
    do {
      const token = pageToken === "" ? {} : { page_token: pageToken };
      const reply = await this.get(path, { ...query, ...token });
      yield listIn(reply, name);
      pageToken = textIn(reply, "next_page_token");
    } while (pageToken !== "");
  }

  /** Returns the bytes of a run's file, wherever that server keeps it. */
  async file(runId: string, path: string): Promise<ReadableStream<Uint8Array>> {
    const query = new URLSearchParams({ run_id: runId, path }).toString();
    const reply = await this.#answer(`/get-artifact?${query}`, "GET");
    return reply.body ?? new Blob([]).stream();
  }

  /** Returns the bytes of a logged model's file. */
  async modelFile(modelId: string, path: string): Promise<ReadableStream<Uint8Array>> {
    const query = new URLSearchParams({ artifact_file_path: path }).toString();
    const address = `/ajax-api/2.0/mlflow/logged-models/${modelId}/artifacts/files?${query}`;
    const reply = await this.#answer(address, "GET");
    return reply.body ?? new Blob([]).stream();
  }

  /** Stores a file of a run or a logged model, completely or not at all. */
  async putFile(address: string, bytes: ReadableStream<Uint8Array>): Promise<void> {
    const path = address.split("/").map(encodeURIComponent).join("/");
    // A stream can be read once only: retries are up to the caller, with a new one.
    const init = { body: bytes, duplex: "half" } as RequestInit;
    const reply = await this.#answer(`/api/2.0/mlflow-artifacts/artifacts/${path}`, "PUT", init, 0);
    await reply.arrayBuffer();
  }

  async #answer(
    path: string,
    method: string,
    init: RequestInit = {},
    patience = patienceMs,
  ): Promise<Response> {
    const until = Date.now() + patience;
    for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, 15_000)) {
      const outcome = await this.#attempt(path, method, init);
      if (outcome instanceof Response) return outcome;
      if (!outcome.isPassing || Date.now() + pauseMs > until) throw outcome;
      await sleep(pauseMs);
    }
  }

  async #attempt(path: string, method: string, init: RequestInit): Promise<Response | MlflowError> {
    const authorization = await this.#address.authorization();
    const headers = new Headers({ ...this.#address.headers, ...(init.headers as object) });
    if (authorization !== undefined) headers.set("authorization", authorization);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    try {
      const sent = {
        ...init,
        method,
        headers,
        ...(init.body === undefined && { signal: deadline.signal }),
      };
      const reply = await fetch(this.url + path, sent);
      if (reply.ok) return reply;
      return new MlflowError(
        sentenceOf(this.url, path, reply.status, await reply.text()),
        reply.status,
      );
    } catch (error) {
      const { cause, message } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      return new MlflowError(`${this.url} does not answer: ${why}`, undefined);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A refusal, or a missing reply. */
export class MlflowError extends CommandError {
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message);
    this.status = status;
  }

  get isPassing(): boolean {
    return this.status === undefined || passing.has(this.status);
  }
}

function sentenceOf(url: string, path: string, status: number, text: string): string {
  const [word] = path.split("?");
  let sentence = text.slice(0, 300);
  try {
    sentence = (JSON.parse(text) as { message?: string }).message ?? sentence;
  } catch {
    // Perhaps a proxy's page.
  }
  return `${url}${word} answered ${status}: ${sentence}`;
}

type ParseExactly = (
  text: string,
  reviver: (name: string, value: unknown, context: { source: string }) => unknown,
) => unknown;

/**
 * Parses a reply. Steps and times have 64 bits: those beyond a double stay texts, which MLflow
 * accepts.
 */
async function messageOf(reply: Response): Promise<Message> {
  const text = await reply.text();
  const exactly = JSON.parse as ParseExactly;
  return exactly(text, (_, value, { source }) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value,
  ) as Message;
}

/** A member that is a list of messages; empty where absent, as in protobuf. */
export function listIn(message: Message, name: string): Message[] {
  return (message[name] ?? []) as Message[];
}

export function messageIn(message: Message, name: string): Message {
  return (message[name] ?? {}) as Message;
}

/** A member that is a text, or an integer that may be one; empty where absent. */
export function textIn(message: Message, name: string): string {
  const value = message[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
