import { ConnectionError, LosslessError, RequestError } from "./errors.ts";

export interface TransportOptions {
  /** `{base_url}`: scheme, host and port, and a path when a proxy adds one. No credentials, no query. */
  baseUrl: string;
  /** `{alt_base_url}`, another address of the same service; tried in turn after a connection failure. */
  alternativeBaseUrl?: string;
  /** Milliseconds one attempt may take until its whole reply is read; streams: until the next bytes. 30,000. */
  timeoutMs?: number;
  /** `auto` (default): gzip for bodies over 16 KiB unless the service is on this machine. */
  compression?: "auto" | "always" | "never";
  /** Replaces the global fetch. */
  fetch?: typeof fetch;
}

export interface Reply {
  /** JSON text of the body, see `parsedReply`. */
  text: string;
  /** The service's clock by its Date header, Unix milliseconds to the second; ours when it is missing. */
  serverTimeMs: number;
}

interface Exchange {
  method: "GET" | "POST";
  path: string;
  credential: string;
  body?: string;
  signal?: AbortSignal | undefined;
}

const compressFromBytes = 16_384;
const loopbackHosts = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Failures of Node's fetch before a byte of the request left; browsers do not tell, so there it is unknown. */
const notSentCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);

/** One attempt over HTTP and its errors as LosslessErrors. It never repeats anything: see retry.ts for that. */
export class Transport {
  readonly #addresses: string[];
  readonly #timeoutMs: number;
  readonly #compression: "auto" | "always" | "never";
  readonly #fetch: typeof fetch;
  #current = 0;

  constructor(options: TransportOptions) {
    this.#addresses = [options.baseUrl, options.alternativeBaseUrl]
      .filter((address) => address !== undefined)
      .map(checkedAddress);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#compression = options.compression ?? "auto";
    const given = options.fetch;
    // A browser's fetch refuses to be called as a method of anything but the window.
    this.#fetch = given ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Sends one request and reads the whole reply. Throws ConnectionError, RequestError. */
  async exchange(exchange: Exchange): Promise<Reply> {
    const address = this.#current;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.#timeoutMs);
    try {
      const response = await this.#send(exchange, deadline.signal);
      const text = await response.text();
      if (!response.ok) throw requestError(response, text);
      return { text, serverTimeMs: serverTimeMs(response) };
    } catch (error) {
      throw this.#judged(error, address, exchange.signal, deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends one request and gives the reply's bytes as they arrive; leaving the loop early closes the connection. */
  async *stream(exchange: Exchange): AsyncGenerator<Uint8Array, void, undefined> {
    const address = this.#current;
    const deadline = new AbortController();
    let timer = setTimeout(() => deadline.abort(), this.#timeoutMs);
    try {
      const response = await this.#send(exchange, deadline.signal);
      if (!response.ok) throw requestError(response, await response.text());
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(() => deadline.abort(), this.#timeoutMs);
        const { done, value } = await reader.read();
        // The caller may take its time with a chunk: that is not the service's silence.
        clearTimeout(timer);
        if (done) return;
        yield value;
      }
    } catch (error) {
      throw this.#judged(error, address, exchange.signal, deadline.signal);
    } finally {
      clearTimeout(timer);
      deadline.abort();
    }
  }

  async #send(exchange: Exchange, deadline: AbortSignal): Promise<Response> {
    const url = this.#addresses[this.#current] + exchange.path;
    const headers: Record<string, string> = { authorization: `Bearer ${exchange.credential}` };
    const signal = exchange.signal ? AbortSignal.any([exchange.signal, deadline]) : deadline;
    const init: RequestInit = { method: exchange.method, headers, signal };
    if (exchange.body !== undefined) {
      headers["content-type"] = "application/json";
      init.body = exchange.body;
      if (this.#compresses(exchange.body)) {
        headers["content-encoding"] = "gzip";
        init.body = await gzip(exchange.body);
      }
    }
    // A redirect could carry the credential elsewhere, and a cache or cookie has no business here.
    Object.assign(init, { redirect: "error", credentials: "omit", cache: "no-store" });
    return this.#fetch(url, init);
  }

  #compresses(body: string): boolean {
    if (this.#compression !== "auto") return this.#compression === "always";
    if (body.length < compressFromBytes || typeof CompressionStream === "undefined") return false;
    const address = this.#addresses[this.#current] as string;
    return !loopbackHosts.test(new URL(address).hostname);
  }

  /** Turns whatever fetch threw into our errors, and moves on to the other address where that may help. */
  #judged(
    error: unknown,
    address: number,
    callersSignal: AbortSignal | undefined,
    deadline: AbortSignal,
  ): unknown {
    if (callersSignal?.aborted) return callersSignal.reason;
    const judged =
      error instanceof LosslessError ? error : this.#connectionError(error, address, deadline);
    const elsewhere =
      judged instanceof ConnectionError ||
      (judged instanceof RequestError && [502, 503, 504].includes(judged.status));
    // Only if no other request has moved on already.
    if (elsewhere && this.#current === address) {
      this.#current = (address + 1) % this.#addresses.length;
    }
    return judged;
  }

  #connectionError(error: unknown, address: number, deadline: AbortSignal): ConnectionError {
    const where = this.#addresses[address] as string;
    if (deadline.aborted) {
      const message = `no reply from ${where} within ${this.#timeoutMs} ms`;
      return new ConnectionError(message, false, error);
    }
    const code = causeCode(error);
    const reason = code ?? (error instanceof Error ? error.message : String(error));
    return new ConnectionError(
      `cannot reach ${where}: ${reason}`,
      code !== undefined && notSentCodes.has(code),
      error,
    );
  }
}

function checkedAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new LosslessError(`${JSON.stringify(address)} is not an http(s) address of a service`);
  }
  return url.href.replace(/\/+$/, "");
}

function causeCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : undefined;
}

function requestError(response: Response, text: string): RequestError {
  const { message, details } = errorBody(text);
  const code = /(?:^|; )code=([^;]*)/.exec(details)?.[1] ?? "unknown";
  const requestId =
    /(?:^|; )request_id=([^;]*)/.exec(details)?.[1] ??
    response.headers.get("x-request-id") ??
    undefined;
  const sentence = message ?? `the service answered HTTP ${response.status} ${response.statusText}`;
  return new RequestError(sentence, response.status, code, requestId, retryAfterMs(response));
}

function errorBody(text: string): { message: string | undefined; details: string } {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown; details?: unknown } } | null;
    const message = body?.error?.message;
    const details = body?.error?.details;
    return {
      message: typeof message === "string" ? message : undefined,
      details: typeof details === "string" ? details : "",
    };
  } catch {
    return { message: undefined, details: "" };
  }
}

/** Retry-After is a number of seconds or an HTTP date. */
function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - serverTimeMs(response));
}

function serverTimeMs(response: Response): number {
  const dateMs = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(dateMs) ? Date.now() : dateMs;
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
