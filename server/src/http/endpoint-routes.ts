import {
  type EndpointDefinition,
  type EndpointName,
  endpoints,
  type ReplyBody,
  type RequestBody,
  type RequestQuery,
} from "@lossless/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { readEndpointBody } from "./bodies/endpoint-body.ts";
import {
  guestCaller,
  openServed,
  type OrganizationCaller,
  organizationCaller,
  personCaller,
  scimCaller,
} from "./callers/caller.ts";
import type { GuestCaller, PersonCaller, ScimCaller } from "./callers/credentials.ts";
import { serveGuest } from "./callers/guest-scope.ts";
import type { HttpContext } from "./http-context.ts";
import { readQuery } from "./query.ts";
import { compressed } from "./replies/compressed.ts";
import { sendJson } from "./replies/replies.ts";
import { requestStorage } from "./request-storage.ts";
import type { Route } from "./route.ts";
import type { OpenService } from "./service-state.ts";

/**
 * Makes routes: each handler is a row of the endpoints table, from which caller, query, body,
 * status and reply follow.
 */
export const endpointRoutes = routesReading(readEndpointBody);

/** Returns the function that makes routes of an interface with bodies of its own. */
export function routesReading(readBody: BodyRead) {
  return <Name extends EndpointName>(handlers: Handlers<Name>): Record<Name, Route> => {
    const names = Object.keys(handlers) as Name[];
    const routes = names.map((name) => [name, routeOf(name, handlers[name], readBody)]);
    return Object.fromEntries(routes) as Record<Name, Route>;
  };
}

/** Returns the RequestBody of an endpoint that takes one. Throws when it is invalid. */
type BodyRead = (
  context: HttpContext,
  request: FastifyRequest,
  name: EndpointName,
) => Promise<unknown>;

type Handlers<Name extends EndpointName> = { [Each in Name]: Handler<Each> };
type Handler<Name extends EndpointName> = (call: Call<Name>) => Promise<Reply<Name>>;

export interface Call<Name extends EndpointName> {
  caller: CallerOf<Name>;
  query: RequestQuery<Name>;
  body: RequestBody<Name>;
  served: OpenService;
  context: HttpContext;
  request: FastifyRequest;
  /** The reply, for headers; status and body are sent from the handler's result. */
  reply: FastifyReply;
}

type Endpoint<Name extends EndpointName> = (typeof endpoints)[Name];

type CallerOf<Name extends EndpointName> =
  Endpoint<Name> extends { credentials: readonly [] }
    ? undefined
    : Endpoint<Name> extends { personal: true }
      ? PersonCaller
      : Endpoint<Name> extends { credentials: readonly ["scim"] }
        ? ScimCaller
        : Endpoint<Name> extends { credentials: readonly ["guest"] }
          ? GuestCaller
          : OrganizationCaller;

/** The result of a handler; JSON that is printed already is bytes. */
type Reply<Name extends EndpointName> = Endpoint<Name>["reply"] extends { kind: "json" }
  ? ReplyBody<Name> | Buffer | readonly Uint8Array[]
  : Endpoint<Name>["reply"] extends { kind: "bytes" }
    ? Uint8Array
    : void;

function routeOf<Name extends EndpointName>(
  name: Name,
  handle: Handler<Name>,
  readBody: BodyRead,
): Route {
  const row: EndpointDefinition = endpoints[name];
  return async (context, request, reply) => {
    const open = openServed(request);
    const served = { ...open, storage: requestStorage(open.storage, reply) };
    const query = row.query === undefined ? {} : readQuery(name, request.raw.url);
    const body = row.request.kind === "none" ? undefined : await readBody(context, request, name);
    const read = { query, body } as { query: RequestQuery<Name>; body: RequestBody<Name> };
    const run = () => {
      const caller = callerOf(row, request) as CallerOf<Name>;
      return handle({ caller, served, ...read, context, request, reply });
    };
    const given =
      request.caller?.kind === "guest"
        ? serveGuest(name, request, read, served.storage, run)
        : run();
    const made = await given;
    const isPrinted = row.reply.kind === "json" && Array.isArray(made);
    const { compressing } = context.replies;
    send(reply, row.reply, isPrinted ? await compressed(compressing, request, reply, made) : made);
  };
}

function callerOf(
  { credentials, personal }: EndpointDefinition,
  request: FastifyRequest,
): OrganizationCaller | PersonCaller | ScimCaller | GuestCaller | undefined {
  if (credentials.length === 0) return undefined;
  if (credentials.includes("guest")) return guestCaller(request);
  if (credentials.includes("scim")) return scimCaller(request);
  return personal ? personCaller(request) : organizationCaller(request);
}

function send(reply: FastifyReply, { kind, ...row }: EndpointDefinition["reply"], given: unknown) {
  const status = "status" in row ? row.status : 200;
  if (kind === "json") {
    const isPrinted = Buffer.isBuffer(given) || Array.isArray(given);
    const mediaType = "mediaType" in row ? row.mediaType : undefined;
    sendJson(reply, isPrinted ? given : JSON.stringify(given), status, mediaType);
  } else if (given instanceof Uint8Array) {
    const { buffer, byteOffset, byteLength } = given;
    if (!reply.hasHeader("content-type")) {
      void reply.header("content-type", "application/octet-stream");
    }
    void reply.code(status).send(Buffer.from(buffer, byteOffset, byteLength));
  } else void reply.code(status).send();
}
