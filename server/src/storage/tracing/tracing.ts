import type { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { Round } from "../background/rounds.ts";
import type { WorkTimes } from "../thread-calls.ts";
import { traceOutgoing } from "./outgoing-requests.ts";

type Attributes = Record<string, string | number>;

/** The SDK's parts, passed in so that it is not loaded without tracing. */
export interface TracingTools {
  tracer: Tracer;
  /** The current span; code that sends spans runs outside of it. */
  current: AsyncLocalStorage<Span>;
  /** Returns the context for spans of a request with these headers (`traceparent`). */
  contextOf(headers: IncomingHttpHeaders): Context;
  /** Returns the context of work within a span. */
  within(span: Span): Context;
  /** Sends waiting spans; later ones are not accepted. */
  close(): Promise<void>;
}

/** A request whose headers have arrived; `route` is the pattern of its path. */
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
const client = 2; // SpanKind.CLIENT
const failed = 2; // SpanStatusCode.ERROR

/**
 * Spans of requests, of their calls to the storage and other services, and of background work.
 * Slugs, names and addresses of clients are in none: routes are patterns, organizations are ids.
 */
export class Tracing {
  readonly #tools: TracingTools;
  /** The span of the request or task in which code runs. */
  readonly #current: AsyncLocalStorage<Span>;
  readonly #endOutgoing: () => void;

  constructor(tools: TracingTools) {
    this.#tools = tools;
    this.#current = tools.current;
    this.#endOutgoing = traceOutgoing(({ method, host, protocol }) => {
      // The path is left out: keys of objects are paths of artifacts.
      const attributes = { "http.request.method": method, "server.address": host };
      return this.#below(method, { ...attributes, "url.scheme": protocol.replace(/:$/, "") });
    });
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

  /** Runs a call of the present request or task in a span; without one none is made. */
  async around<Result>(
    name: string,
    attributes: Attributes,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const span = this.#below(name, attributes);
    return span === undefined ? work() : this.#within(span, work);
  }

  /** Runs work that no request caused in a span of its own. */
  apart<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return this.#within(this.#tools.tracer.startSpan(name, {}, this.#tools.contextOf({})), work);
  }

  /** Events of the storage threads. */
  get storageEvents() {
    return {
      worked: (round: Round) => this.#past(round),
      timing: (name: string) => this.#elsewhere(`storage.thread.${name}`),
    };
  }

  /** A span of its own of background work, which has ended. */
  #past({ name, beganAtMs, endedAtMs, changed, failed: isFailed }: Round): void {
    const attributes = Object.fromEntries(
      Object.entries(changed).map(([figure, by]) => [`lossless.${figure}`, by]),
    );
    const options = { startTime: beganAtMs, attributes };
    const context = this.#tools.contextOf({});
    const span = this.#tools.tracer.startSpan(`background ${name}`, options, context);
    if (isFailed) span.setStatus({ code: failed });
    span.end(endedAtMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#endOutgoing();
    await this.#tools.close();
  }

  /** Takes the times at which another thread worked on a call from here: a child span. */
  #elsewhere(name: string): ((times: WorkTimes) => void) | undefined {
    const parent = this.#current.getStore();
    if (parent?.isRecording() !== true) return undefined;
    const tools = this.#tools;
    return ({ beganAtMs, endedAtMs }) => {
      const options = { startTime: beganAtMs };
      tools.tracer.startSpan(name, options, tools.within(parent)).end(endedAtMs);
    };
  }

  #below(name: string, attributes: Attributes): Span | undefined {
    const parent = this.#current.getStore();
    if (parent?.isRecording() !== true) return undefined;
    const tools = this.#tools;
    return tools.tracer.startSpan(name, { kind: client, attributes }, tools.within(parent));
  }

  async #within<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#current.run(span, work);
    } catch (error) {
      span.setStatus({ code: failed });
      span.setAttribute("error.type", error instanceof Error ? error.name : "unknown");
      throw error;
    } finally {
      span.end();
    }
  }
}

/** The span of one request. */
export class RequestTrace {
  /** Runs the work after the arrival; spans of its calls are children of this one. */
  readonly run: (follow: () => void) => void;
  /** Trace id for the log; undefined where the request is not sampled. */
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
