import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { LosslessError, StoreError } from "../errors.ts";

export interface StoreRequest {
  method: "GET" | "PUT";
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Bytes of the body; 0 for GET. */
  length: number;
  signal: AbortSignal;
}

export interface StoreReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: IncomingMessage;
}

/** Size of a body from which asking the store first (Expect: 100-continue) is worthwhile. */
const askFromBytes = 2 * 1_048_576;
const askTimeoutMs = 1_000;
const errorBytesMax = 4_096;

/**
 * Kept-alive connections to stores, used by up to `limit` requests at once. node:http and not
 * fetch: fetch cannot stream a body of known length, and stores require the length.
 */
export class StoreConnections implements Disposable {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #idleMs: number;
  /** False after a store or a proxy has refused Expect. */
  #mayAsk = true;

  /** A request without progress for `idleMs` fails. */
  constructor(limit: number, idleMs: number) {
    const options = {
      keepAlive: true,
      maxSockets: limit,
      maxFreeSockets: limit,
      // As for fetch, which reaches the service.
      ...(process.env["NODE_USE_ENV_PROXY"] === "1" ? { proxyEnv: process.env } : {}),
    };
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
    this.#idleMs = idleMs;
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  /**
   * Sends one request once. Returns a reply with a status from 200 to 299, whose body the caller
   * must read; any other status and a broken connection throw StoreError, with and without its
   * status.
   */
  async send(
    request: StoreRequest,
    body: AsyncIterable<Uint8Array> = nothing(),
  ): Promise<StoreReply> {
    const asks = this.#mayAsk && request.length >= askFromBytes;
    const outgoing = this.#start(request, asks);
    const exchange = new Exchange(outgoing);
    try {
      await exchange.write(body, asks);
      const reply = await exchange.reply;
      const { statusCode: status = 0, headers } = reply;
      if (status >= 200 && status < 300) {
        if (exchange.isWhole) return { status, headers, body: reply };
        throw new Error("it answered before it had everything");
      }
      if (asks && status === 417) {
        this.#mayAsk = false;
        throw new Error("it does not know Expect");
      }
      throw refusal(request, status, await beginningOf(reply));
    } catch (error) {
      outgoing.destroy();
      throw judged(error, request);
    }
  }

  #start(request: StoreRequest, asks: boolean): ClientRequest {
    const { method, url, headers, length, signal } = request;
    const all: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
    if (method === "PUT") all["content-length"] = String(length);
    if (asks) all["expect"] = "100-continue";
    const isSecure = new URL(url).protocol === "https:";
    const options = { method, headers: all, signal, timeout: this.#idleMs };
    const outgoing = isSecure
      ? httpsRequest(url, { ...options, agent: this.#https })
      : httpRequest(url, { ...options, agent: this.#http });
    const seconds = this.#idleMs / 1_000;
    outgoing.on("timeout", () => {
      outgoing.destroy(new Error(`nothing moved for ${seconds} seconds`));
    });
    return outgoing;
  }
}

/** Sends a body while the reply may come at any time: a store that refuses need not read it all. */
class Exchange {
  readonly reply: Promise<IncomingMessage>;
  /** The whole body was handed over. */
  isWhole = false;
  readonly #outgoing: ClientRequest;
  #isOver = false;
  #wake: () => void = () => {};

  constructor(outgoing: ClientRequest) {
    this.#outgoing = outgoing;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    this.reply = promise;
    // The rejection may have no listener yet.
    promise.catch(() => {});
    const end = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    outgoing.on("response", (reply) => {
      resolve(reply);
      end();
    });
    outgoing.on("error", (error) => {
      reject(error);
      end();
    });
    outgoing.on("close", () => {
      reject(new Error("the connection closed without an answer"));
      end();
    });
    outgoing.on("drain", () => this.#wake());
    outgoing.on("continue", () => this.#wake());
  }

  async write(body: AsyncIterable<Uint8Array>, asks: boolean): Promise<void> {
    if (asks) await this.#permission();
    try {
      for await (const chunk of body) {
        if (this.#isOver) return;
        if (!this.#outgoing.write(chunk)) await this.#drained();
      }
    } catch (error) {
      throw new BodyFailure(error);
    }
    // Also when the reply has arrived: it may come as soon as the store has all bytes.
    this.#outgoing.end();
    this.isWhole = true;
  }

  /**
   * Waits for the reply to Expect: 100-continue, briefly, as stores that do not know it send none.
   */
  async #permission(): Promise<void> {
    this.#outgoing.flushHeaders();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, askTimeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isOver) this.#wake();
    });
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#isOver || !this.#outgoing.writableNeedDrain) resolve();
    });
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

/**
 * Builds the error of a refusal. It names the host only, as the address is a secret for an hour.
 */
function refusal({ method, url }: StoreRequest, status: number, text: string): StoreError {
  const { host } = new URL(url);
  const code = /<Code>([\w.-]{1,64})<\/Code>/.exec(text)?.[1] ?? /"error":"(\w+)"/.exec(text)?.[1];
  const told = code === undefined ? "" : ` (${code})`;
  // "its": a user who pushes from a nearly full disk might think of that one.
  const disk = status === 507 ? ": its disk is full" : "";
  // Stores send a code, and accept parts of the size that begin chose; a 413 without one is a
  // proxy's.
  const proxy =
    status === 413 && code === undefined
      ? ": a proxy before the store refuses bodies of this size (nginx: client_max_body_size 0, " +
        "Caddy: no request_body max_size)"
      : "";
  return new StoreError(
    `the store at ${host} answered ${method} with HTTP ${status}${told}${disk}${proxy}`,
    status,
  );
}

/** Reading the body failed, which is not the store's fault. */
class BodyFailure extends Error {
  constructor(cause: unknown) {
    super("the body cannot be read", { cause });
  }
}

function judged(error: unknown, request: StoreRequest): unknown {
  if (request.signal.aborted) return request.signal.reason;
  if (error instanceof BodyFailure) return error.cause;
  return error instanceof LosslessError ? error : connectionFailure(error, request.url);
}

/** Turns node's error of a broken connection into ours. */
export function connectionFailure(error: unknown, url: string): StoreError {
  const { host } = new URL(url);
  const { message, code } = error as NodeJS.ErrnoException;
  const reason = message === "" ? code : message;
  return new StoreError(`the store at ${host} cannot be reached: ${reason}`, undefined, error);
}

async function beginningOf(reply: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of reply) {
      chunks.push(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).length;
      if (bytes >= errorBytesMax) break;
    }
  } catch {
    // The status has arrived, which is enough.
  }
  return Buffer.concat(chunks).toString("utf8");
}
