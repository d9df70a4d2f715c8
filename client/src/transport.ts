import type { Method } from "./endpoint.ts";
import { ConnectionError, LosslessError, RequestError } from "./errors.ts";
import { requestError, serverTimeMs } from "./request-error.ts";

export interface TransportOptions {
  /** `{base_url}`: scheme, host, port, and a path if a proxy adds one. No credentials, no query. */
  baseUrl: string;
  /** `{alt_base_url}`, another address of the service; tried in turn after a connection failure. */
  alternativeBaseUrl?: string;
  /**
   * Milliseconds of one attempt, including its whole reply; for streams: until the next bytes.
   * 30,000.
   */
  timeoutMs?: number;
  /** `auto` (default): gzip for bodies over 16 KiB unless the service is on this machine. */
  compression?: "auto" | "always" | "never";
  /** Replaces the global fetch. */
  fetch?: typeof fetch;
  /** Called once when keys go over plain http to another machine; console.warn by default. */
  onNotice?: (sentence: string) => void;
}

export interface Reply {
  bytes: Uint8Array;
  /** The body as text; see `parsedReply`. */
  readonly text: string;
  /** The service's clock from its Date header, Unix milliseconds to the second; ours if missing. */
  serverTimeMs: number;
  /** Versions of columns that the service reads, where it says so. */
  readonly columnVersions: readonly number[];
}

export interface Exchange {
  method: Method;
  path: string;
  credential: string;
  /** For x-svc-organization: an OAuth token does not say which organization is meant. */
  organization?: string | undefined;
  /** A text is JSON. */
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Whether bytes may be compressed, as a text may: not where the service stores them as sent. */
  mayBeGzip?: boolean | undefined;
  /** The types of a reply that are understood; absent: fetch says so. */
  accept?: string | undefined;
  /** Replaces the transport's timeout, for slow requests. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const compressFromBytes = 16_384;
const loopbackHosts = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Codes of Node's fetch for failures before a byte was sent; browsers do not report them. */
const notSentCodes = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);

/**
 * Sends single attempts over HTTP, and turns failures into LosslessErrors. Never retries: see
 * retry.ts.
 */
export class Transport {
  readonly #addresses: string[];
  readonly #timeoutMs: number;
  readonly #compression: "auto" | "always" | "never";
  readonly #fetch: typeof fetch;
  readonly #notice: (sentence: string) => void;
  #hasTold = false;
  #current = 0;

  constructor(options: TransportOptions) {
    this.#addresses = [options.baseUrl, options.alternativeBaseUrl]
      .filter((address) => address !== undefined)
      .map(checkedAddress);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#compression = options.compression ?? "auto";
    this.#notice = options.onNotice ?? ((sentence) => console.warn(sentence));
    const given = options.fetch;
    // A browser's fetch may only be called as a method of the window.
    this.#fetch = given ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Sends one request and reads the whole reply. Throws ConnectionError, RequestError. */
  async exchange(exchange: Exchange): Promise<Reply> {
    const address = this.#current;
    const timeoutMs = exchange.timeoutMs ?? this.#timeoutMs;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(tooLate(timeoutMs)), timeoutMs);
    try {
      const response = await this.#send(exchange, deadline.signal);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (!response.ok) throw requestError(response, new TextDecoder().decode(bytes));
      return {
        bytes,
        get text() {
          return new TextDecoder().decode(bytes);
        },
        serverTimeMs: serverTimeMs(response),
        columnVersions: columnVersions(response),
      };
    } catch (error) {
      throw this.#judged(error, address, exchange.signal, deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends one request and yields the reply's bytes as they arrive; leaving the loop closes it. */
  async *stream(exchange: Exchange): AsyncGenerator<Uint8Array, void, undefined> {
    const address = this.#current;
    const deadline = new AbortController();
    const abort = (): void => deadline.abort(tooLate(this.#timeoutMs));
    let timer = setTimeout(abort, this.#timeoutMs);
    try {
      const response = await this.#send(exchange, deadline.signal);
      if (!response.ok) throw requestError(response, await response.text());
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(abort, this.#timeoutMs);
        const { done, value } = await reader.read();
        // The caller may be slow with a chunk, which is not the service's silence.
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
    const address = this.#addresses[this.#current];
    this.#tellIfReadable(address);
    const url = address + exchange.path;
    const headers: Record<string, string> = { authorization: `Bearer ${exchange.credential}` };
    if (exchange.organization !== undefined) {
      headers["x-svc-organization"] = exchange.organization;
    }
    if (exchange.accept !== undefined) headers["accept"] = exchange.accept;
    const signal = exchange.signal ? AbortSignal.any([exchange.signal, deadline]) : deadline;
    const init: RequestInit = { method: exchange.method, headers, signal };
    const { body } = exchange;
    if (body !== undefined) {
      const isText = typeof body === "string";
      headers["content-type"] = isText ? "application/json" : "application/octet-stream";
      init.body = body;
      if ((isText || exchange.mayBeGzip === true) && this.#compresses(body)) {
        headers["content-encoding"] = "gzip";
        init.body = await gzip(body);
      }
    }
    // A redirect could carry the credential elsewhere, and caches and cookies are of no use here.
    Object.assign(init, { redirect: "error", credentials: "omit", cache: "no-store" });
    return this.#fetch(url, init);
  }

  #compresses(body: string | Uint8Array): boolean {
    if (this.#compression !== "auto") return this.#compression === "always";
    if (body.length < compressFromBytes || typeof CompressionStream === "undefined") return false;
    const address = this.#addresses[this.#current];
    return !loopbackHosts.test(new URL(address).hostname);
  }

  /**
   * Turns what fetch threw into our errors, and switches to the other address where that may help.
   */
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
    // Only if no other request has switched already.
    if (elsewhere && this.#current === address) {
      this.#current = (address + 1) % this.#addresses.length;
    }
    return judged;
  }

  #tellIfReadable(address: string): void {
    if (this.#hasTold || !isReadableOnTheWay(address)) return;
    this.#hasTold = true;
    this.#notice(plainHttpNotice(address));
  }

  #connectionError(error: unknown, address: number, deadline: AbortSignal): ConnectionError {
    const where = this.#addresses[address];
    if (deadline.aborted) {
      const message = `no reply from ${where} ${(deadline.reason as Error).message}`;
      return new ConnectionError(message, false, error);
    }
    const code = causeCode(error);
    const reason = code ?? (error instanceof Error ? error.message : String(error));
    return new ConnectionError(
      `cannot reach the service at ${where} (${reason})`,
      code !== undefined && notSentCodes.has(code),
      error,
    );
  }
}

/** Whether others on the network can read what is sent to an address. */
export function isReadableOnTheWay(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.protocol === "http:" && !loopbackHosts.test(url.hostname);
}

export function plainHttpNotice(address: string): string {
  return `keys go to ${address} unencrypted, and can be read on the way: use https`;
}

function checkedAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new LosslessError(`${JSON.stringify(address)} is not an http(s) address of a service`);
  }
  return url.href.replace(/\/+$/, "");
}

function tooLate(timeoutMs: number): Error {
  return new Error(`within ${timeoutMs} ms`);
}

/** The header `lossless-columns: 1`; other services, and some proxies, have none. */
function columnVersions({ headers }: Response): number[] {
  return (headers.get("lossless-columns") ?? "")
    .split(",")
    .map(Number)
    .filter((version) => version > 0);
}

function causeCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : undefined;
}

async function gzip(body: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
