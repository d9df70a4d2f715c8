import type { Socket } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import {
  type EndpointDefinition,
  type EndpointName,
  endpoints,
  errors,
  missingPart,
} from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import { authenticate } from "./callers/authenticate.ts";
import { requireCredentialEntry } from "./callers/authenticator.ts";
import { ClientGone } from "./bodies/client-gone.ts";
import { type BasePath, withoutBase } from "./base-path.ts";
import { BrokenRequests, closeAfterReply } from "./replies/broken-requests.ts";
import { type Caller, organizationIdOf } from "./callers/credentials.ts";
import { decodedPath, errorFormOf } from "./replies/error-form.ts";
import { asServiceError, failureReply } from "./replies/error-replies.ts";
import type { HttpContext } from "./http-context.ts";
import { commonHeaders, requestIdOf } from "./replies/replies.ts";
import type { OpenService } from "./service-state.ts";
import { routes } from "./routes.ts";
import type { RequestTrace, Tracing } from "../storage/tracing/tracing.ts";
import { PipelinedRequests } from "./limits/pipelined-requests.ts";
import { UnreadReplies } from "./limits/unread-replies.ts";
import { missingPage } from "./web/pages.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Path below which rooted addresses in replies lie. */
    basePath: BasePath;
    /**
     * Connections whose request watches its own progress: the time-out of whole requests does not
     * apply.
     */
    longBodies: WeakSet<Socket>;
    /** Cuts connections whose replies are not read. */
    unreadReplies: UnreadReplies;
  }
  interface FastifyRequest {
    /** Set by the authentication of the route; undefined on open endpoints. */
    caller: Caller | undefined;
    /** The storage at the request's start: the request is finished even when the service stops. */
    served: OpenService | undefined;
    /** Whether the request of a guest was found to be within their scope. */
    isInGuestScope: boolean;
    startedAtMs: number;
    /** Set with --traces. */
    trace: RequestTrace | undefined;
    /** The error code of the reply, when the request failed as a whole. */
    failureCode: string | undefined;
  }
}

/**
 * The HTTP server, not listening yet. The order of a request (M10): guards, 404 and 405,
 * credential, media type and size, JSON, schema, batching rules, run. Fastify routes and keeps the
 * connections; bodies, JSON and validation are our own, because its defaults drop unknown fields
 * and coerce types.
 */
export function createHttpServer(context: HttpContext): FastifyInstance {
  const { settings, figures, basePath } = context;
  const { guards, addresses, connections } = context.limits;
  const served = (target: string) => servedTarget(withoutBase(basePath, guards.path(target)));
  const longBodies = new WeakSet<Socket>();
  const pipelined = new PipelinedRequests();
  const broken = new BrokenRequests(figures, longBodies, served);
  const app = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    requestIdHeader: false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.idleTimeoutMs,
    bodyLimit: settings.maxBodyBytes,
    routerOptions: { maxParamLength: 16_384 },
    // No route has a schema of Fastify's; otherwise ajv and its other compilers would be loaded.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    http: {
      headersTimeout: settings.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, settings.headersTimeoutMs),
      // The guards refuse it themselves, in the service's own form.
      requireHostHeader: false,
    },
    rewriteUrl: (request) => served(request.url ?? ""),
    clientErrorHandler: (error, socket) => broken.onClientError(error, socket),
    frameworkErrors: (error, request, reply) => void refuse(context, error, request, reply),
  });
  app.server.maxConnections = settings.maxConnections;
  app.server.on("connection", (socket: Socket) => connections.admit(socket));
  app.server.on("drop", () => figures.connectionsRefused.add(1, "all"));
  const unread = new UnreadReplies(settings.streamIdleMs, (reason) =>
    figures.repliesCut.add(1, reason),
  );
  unread.watch(app.server);
  app.server.on("connect", (_request, socket: Socket) => broken.onConnect(socket));
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1); Node would reply in its
  // own form.
  app.server.on("checkExpectation", (...asked) => app.server.emit("request", ...asked));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.decorate("basePath", basePath);
  app.decorate("longBodies", longBodies);
  app.decorate("unreadReplies", unread);
  app.decorateRequest("caller", undefined);
  app.decorateRequest("served", undefined);
  app.decorateRequest("isInGuestScope", false);
  app.decorateRequest("startedAtMs", 0);
  app.decorateRequest("failureCode", undefined);
  app.decorateRequest("trace", undefined);
  app.addHook("onRequest", async (request, reply) => {
    await pipelined.turn(request.raw, reply.raw);
    broken.noteAnswering(request.raw, reply.raw);
    // Fastify's trustProxy would trust X-Forwarded-Host and -Proto, too, and accept invalid
    // addresses.
    Object.defineProperty(request, "ip", { value: addresses.of(request.raw) });
    receive(context, request, reply);
  });
  if (context.tracing !== undefined) addTracing(app, context.tracing);
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (context.state.status !== "ok") reply.header("connection", "close");
    done();
  });
  app.addHook("onResponse", async (request, reply) => record(context, request, reply));
  app.setErrorHandler((error, request, reply) => refuse(context, error, request, reply));
  app.setNotFoundHandler((request, reply) => refuse(context, notFound(request), request, reply));
  for (const name of Object.keys(endpoints) as EndpointName[]) addRoute(app, context, name);
  return app;
}

/** Adds tracing before the credential is looked up: that is part of the request's time. */
function addTracing(app: FastifyInstance, tracing: Tracing): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { method, id, headers } = request;
    const route = routeOf(request);
    request.trace = tracing.begin({ method, route, id, headers });
    request.trace.run(done);
  });
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? "none";
}

function noSchema(): never {
  throw new Error("BUG: a route with a schema for Fastify");
}

function addRoute(app: FastifyInstance, context: HttpContext, name: EndpointName): void {
  requireCredentialEntry(name);
  const route = routes[name];
  const { method, path, takesRest, request: body }: EndpointDefinition = endpoints[name];
  app.route({
    method,
    url: takesRest === true ? routerPath(path).replace(/:\w+$/, "*") : routerPath(path),
    onRequest: async (request) => {
      // Bytes are taken with any media type; Fastify would refuse a malformed one.
      if (body.kind === "bytes" || body.kind === "none") delete request.raw.headers["content-type"];
      return admit(context, name, request);
    },
    handler: async (request, reply) => {
      await route(context, request, reply);
      return reply;
    },
  });
}

/**
 * Admits a request: health pages and documents always; those that need the storage only while it is
 * open.
 */
async function admit(
  context: HttpContext,
  name: EndpointName,
  request: FastifyRequest,
): Promise<void> {
  const { credentials, errors: codes }: EndpointDefinition = endpoints[name];
  // The route checks the signature: it is in the address, and each has its own form.
  if (credentials.includes("signature")) request.served = context.state.served();
  else if (credentials.length > 0) return authenticate(context, name, request);
  else if (codes.includes("unavailable")) request.served = context.state.served();
}

/** `{experimentId}` -> `:experimentId` */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Header by which a browser that was here once does not use plain HTTP again, for a year. */
const overTlsAlone = { "strict-transport-security": "max-age=31536000" };

function receive(context: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  request.startedAtMs = context.clock();
  context.limits.activeRequests += 1;
  reply.raw.once("close", () => (context.limits.activeRequests -= 1));
  if (request.raw.socket.writableEnded) {
    // A request behind one that was refused with its body unread; see closeAfterReply.
    reply.hijack();
    request.raw.destroy();
    return;
  }
  reply.headers(commonHeaders(request.id));
  if (context.baseUrl().startsWith("https:")) reply.headers(overTlsAlone);
  context.limits.guards.check(request.raw);
  if (request.is404) throw notFound(request);
}

const doubled: ReadonlySet<string> = new Set(
  Object.values<EndpointDefinition>(endpoints)
    .filter(({ doubledSlash }) => doubledSlash)
    .map(({ path }) => `/${path}`),
);

/**
 * Returns the target as the endpoints table has it: MLflow's own pages call the same addresses
 * under another name, and its clients one of them with two slashes.
 */
function servedTarget(target: string): string {
  if (target.startsWith("//") && doubled.has(target.split("?", 1)[0])) return target.slice(1);
  return target.replace(/^\/ajax-api\/(?=[23]\.0\/mlflow)/, "/api/");
}

/**
 * Returns 404, or 405 with the methods of a path that exists; 501 for endpoints that only MLflow's
 * server has.
 */
function notFound(request: FastifyRequest): ServiceError {
  const path = decodedPath(request.raw.url ?? "");
  const missing = missingPart(path);
  if (missing !== undefined) return new ServiceError("not_implemented", missing);
  const methods = new Set<string>();
  for (const definition of Object.values<EndpointDefinition>(endpoints)) {
    const pattern = patternOf(definition);
    if (!new RegExp(`^${pattern}$`).test(path)) continue;
    methods.add(definition.method);
    if (definition.method === "GET") methods.add("HEAD");
  }
  if (methods.size === 0) return new ServiceError("not_found", errors.not_found.sentence);
  const allow = [...methods].join(", ");
  return new ServiceError("method_not_allowed", `This address accepts ${allow} only.`, { allow });
}

function patternOf({ path, takesRest }: EndpointDefinition): string {
  const plain = path.replace(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.");
  return takesRest === true ? plain.replace(/\[\^\/\]\+$/, ".+") : plain;
}

function refuse(
  context: HttpContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ClientGone) {
    reply.hijack();
    request.raw.destroy();
    return reply;
  }
  const { code, status, headers, body } = failureReply(
    error,
    request.id,
    errorFormOf(request.raw.url ?? ""),
  );
  if (asServiceError(error) === undefined) {
    context.log.error({ request_id: request.id, err: error }, "a request failed unexpectedly");
  }
  if (code === "data_corrupted") context.figures.corruptions.add(1);
  context.figures.rejected.add(1, code);
  request.failureCode = code;
  const isGivenUp = code === "request_timeout" || headers.connection === "close";
  closeAfterReply(request.raw, reply, isGivenUp);
  const isMissing = request.is404 && code === "not_found";
  const page = isMissing ? missingPage(request, context.replies.web) : undefined;
  return reply
    .code(status)
    .headers({ ...headers, ...page?.headers })
    .send(page?.body ?? body);
}

function record(context: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  const { log, figures } = context;
  const route = routeOf(request);
  const status = reply.raw.statusCode;
  const seconds = reply.elapsedTime / 1_000;
  figures.requests.add(1, route, String(status));
  figures.requestSeconds.observe(seconds, route);
  const organization = request.caller === undefined ? undefined : organizationIdOf(request.caller);
  request.trace?.end({ status, organization, code: request.failureCode });
  const traceId = request.trace?.traceId;
  const fields = {
    request_id: request.id,
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    route,
    status,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    address: request.ip,
    ...(organization === undefined ? {} : { org: organization }),
    ...(request.failureCode === undefined ? {} : { code: request.failureCode }),
  };
  if (status >= 500) log.warn(fields, "request");
  else if (status >= 400) log.info(fields, "request");
  else log.debug(fields, "request");
}
