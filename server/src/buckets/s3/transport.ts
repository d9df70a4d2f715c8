import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { HttpAgent, HttpsAgent, requestHttp, requestHttps } from "../../ground/node-http.ts";
import type { EgressPolicy } from "../egress.ts";

/** As the SDK hands it over: path and query are not URL text yet and never go to a URL parser. */
export interface OutgoingRequest {
  protocol: string;
  hostname: string;
  port?: number;
  method: string;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

export interface IncomingReply {
  statusCode: number;
  headers: Record<string, string>;
  body: Readable;
}

/** Thrown for a reply larger than any that a store has to send. */
export class ReplyTooLarge extends Error {
  override name = "ReplyTooLarge";
}

/**
 * Transport of the SDK's control calls to a store: over connections that egress has judged, one
 * request and one reply, no redirect, and never more of a reply in memory than the caller wants.
 */
export class StoreTransport {
  readonly #agents: { http: HttpAgent; https: HttpsAgent };
  readonly #silenceMs: number;
  #storeClock: { storeMs: number; receivedAtMs: number } | undefined;

  /** `silenceMs`: time after which a silent connection is given up and the request retried. */
  constructor(egress: EgressPolicy | null, silenceMs: number) {
    this.#agents = egress?.agents() ?? {
      http: new HttpAgent(agentOptions),
      https: new HttpsAgent(agentOptions),
    };
    this.#silenceMs = silenceMs;
  }

  /** The store's time in its last reply, and when that arrived. */
  get storeClock(): { storeMs: number; receivedAtMs: number } | undefined {
    return this.#storeClock;
  }

  /** `bytesMax`: of a reply that is no error. An error longer than `errorBytesMax` is not read. */
  async handle(
    request: OutgoingRequest,
    bytesMax: number,
    abortSignal?: AbortSignal,
  ): Promise<{ response: IncomingReply }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ response: IncomingReply }>();
    const isPlain = request.protocol === "http:";
    const send = isPlain ? requestHttp : requestHttps;
    const sent = send({
      agent: isPlain ? this.#agents.http : this.#agents.https,
      protocol: request.protocol,
      hostname: request.hostname.replaceAll(/[[\]]/g, ""),
      port: request.port ?? (isPlain ? 80 : 443),
      method: request.method,
      path: request.path + queryText(request.query ?? {}),
      headers: request.headers,
    });
    const give = (error: Error) => {
      sent.destroy(error);
      reject(error);
    };
    // A store may need minutes to complete an upload, and need not say a word meanwhile.
    const isComplete = request.method === "POST" && request.query?.uploadId !== undefined;
    if (!isComplete) sent.setTimeout(this.#silenceMs, () => give(silence()));
    const abort = () => give(new DOMException("The deadline has passed.", "AbortError"));
    abortSignal?.addEventListener("abort", abort, { once: true });
    sent.once("error", reject).once("response", (reply: IncomingMessage) => {
      this.#noteClock(reply.headers.date);
      collect(reply, bytesMax).then((body) => resolve({ response: replyOf(reply, body) }), give);
    });
    if (abortSignal?.aborted === true) abort();
    else sent.end(bodyOf(request.body));
    try {
      return await promise;
    } finally {
      abortSignal?.removeEventListener("abort", abort);
    }
  }

  destroy(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #noteClock(date: string | undefined): void {
    const storeMs = Date.parse(date ?? "");
    if (!Number.isNaN(storeMs)) this.#storeClock = { storeMs, receivedAtMs: Date.now() };
  }
}

/** Returns a request handler for a client of the SDK, with `handle` only. */
export function requestHandler<Options>(
  transport: StoreTransport,
  handle: (request: OutgoingRequest, options: Options) => Promise<{ response: IncomingReply }>,
) {
  return {
    metadata: { handlerProtocol: "http/1.1" },
    handle,
    destroy: () => transport.destroy(),
    // Ways to change the SDK's own handler; this one is not changed.
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

const agentOptions = { keepAlive: true, maxSockets: 64, maxFreeSockets: 16 };
/** An error has no more, nor has any reply that tells of one thing. */
export const errorBytesMax = 64 * 1024;

async function collect(reply: IncomingMessage, wholeBytesMax: number): Promise<Buffer[]> {
  const isError = (reply.statusCode ?? 0) >= 300;
  const bytesMax = isError ? errorBytesMax : wholeBytesMax;
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of reply as AsyncIterable<Buffer>) {
    pieces.push(piece);
    sizeBytes += piece.byteLength;
    if (sizeBytes <= bytesMax) continue;
    // Its status says enough.
    if (isError) return [];
    throw new ReplyTooLarge("The store's reply is too large.");
  }
  return pieces;
}

function replyOf(reply: IncomingMessage, body: Buffer[]): IncomingReply {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return { statusCode: reply.statusCode ?? 0, headers, body: Readable.from(body) };
}

function bodyOf(body: unknown): Uint8Array | string | undefined {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body;
  throw new Error(`BUG: body of a control call got ${typeof body}`);
}

/** Returns the query in the SDK's own encoding of names and values, which it has signed. */
function queryText(query: Record<string, string | string[] | null>): string {
  const pairs = Object.keys(query)
    .sort()
    .flatMap((name) =>
      [query[name]].flat().map((value) => (value === null ? encode(name) : pair(name, value))),
    );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function pair(name: string, value: string): string {
  return `${encode(name)}=${encode(value)}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function silence(): Error {
  return Object.assign(new Error("The store does not answer."), { code: "ETIMEDOUT" });
}
