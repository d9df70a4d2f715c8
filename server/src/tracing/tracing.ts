import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import type { Context, Span, Tracer } from "@opentelemetry/api";

/** What the SDK gives, handed in so that nothing of it is loaded where nobody traces. */
export interface TracingTools {
  tracer: Tracer;
  /** The context in which spans of a request that bears these headers are made (`traceparent`). */
  contextOf(headers: IncomingHttpHeaders): Context;
  /** The context of what happens within a span. */
  within(span: Span): Context;
  /** Sends what waits; no span is taken afterwards. */
  close(): Promise<void>;
}

/** A request whose headers are there; `route` is the pattern of its path. */
export interface Arrival {
  method: string;
  route: string;
  id: string;
  headers: IncomingHttpHeaders;
}

/** A request's end, as its span shows it. */
export interface RequestEnd {
  status: number;
  organization: string | undefined;
  code: string | undefined;
}

const server = 1; // SpanKind.SERVER
const failed = 2; // SpanStatusCode.ERROR

/**
 * Spans of requests, and of what they ask the storage for. Slugs, names and addresses of clients
 * are in none: routes are patterns, organizations are ids.
 */
export class Tracing {
  readonly #tools: TracingTools;
  /** The span of the request in which code runs. */
  readonly #current = new AsyncLocalStorage<Span>();

  constructor(tools: TracingTools) {
    this.#tools = tools;
  }

  /** Begins the span of a request that has arrived. */
  begin({ method, route, id, headers }: Arrival): RequestTrace {
    const attributes = {
      "http.request.method": method,
      "http.route": route,
      "lossless.request_id": id,
    };
    const span = this.#tools.tracer.startSpan(
      `${method} ${route}`,
      { kind: server, attributes },
      this.#tools.contextOf(headers),
    );
    return new RequestTrace(span, (follow) => this.#current.run(span, follow));
  }

  /** A span around work that the present request waits for; without a request none is made. */
  async around<Result>(
    name: string,
    attributes: Record<string, string | number>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const parent = this.#current.getStore();
    if (parent?.isRecording() !== true) return work();
    const span = this.#tools.tracer.startSpan(name, { attributes }, this.#tools.within(parent));
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: failed });
      span.setAttribute("error.type", error instanceof Error ? error.name : "unknown");
      throw error;
    } finally {
      span.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tools.close();
  }
}

/** The span of one request. */
export class RequestTrace {
  /** Runs what follows the arrival; spans of what it waits for lie in this one. */
  readonly run: (follow: () => void) => void;
  /** For the log; undefined where the request is not among those that are sampled. */
  readonly traceId: string | undefined;
  readonly #span: Span;

  constructor(span: Span, run: (follow: () => void) => void) {
    this.#span = span;
    this.run = run;
    this.traceId = span.isRecording() ? span.spanContext().traceId : undefined;
  }

  end({ status, organization, code }: RequestEnd): void {
    const span = this.#span;
    span.setAttribute("http.response.status_code", status);
    if (organization !== undefined) span.setAttribute("lossless.organization", organization);
    if (code !== undefined) span.setAttribute("error.type", code);
    if (status >= 500) span.setStatus({ code: failed });
    span.end();
  }
}
