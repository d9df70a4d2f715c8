import type { TSchema } from "typebox";
import { Components } from "./components.ts";
import type { JsonSchema } from "./components.ts";
import { bodyErrors, everyEndpointErrors } from "./endpoint.ts";
import type { CredentialKind, EndpointDefinition } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import {
  ArtifactFailure,
  ErrorReplyData,
  OauthFailure,
  RequestFailure,
  errorEvent,
  replyEnvelope,
  requestEnvelope,
} from "./envelope.ts";
import { codeInV1, errorCodes, errors, isRetryable, statusIn } from "./errors.ts";
import type { ErrorCode } from "./errors.ts";
import { eventNames, events } from "./events.ts";
import type { EventDefinition, EventEndpoint } from "./events.ts";
import { limits } from "./limits.ts";

/**
 * The OpenAPI 3.1 document of the whole interface: the same object on every call, nothing of any
 * tenant in it.
 */
export function openApiDocument(): Record<string, unknown> {
  const components = new Components();
  const failure: FailureForms = {
    v2: { "application/json": { schema: components.add(RequestFailure) } },
    v1: { "application/json": { schema: components.add(ArtifactFailure) } },
    oauth: { "application/json": { schema: components.add(OauthFailure) } },
    page: { "text/html": {} },
  };
  const unions = eventUnions(components);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries<EndpointDefinition>(endpoints)) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path][endpoint.method.toLowerCase()] = operation(
      name,
      endpoint,
      components,
      unions,
      failure,
    );
  }
  const schemas = [...components.schemas].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    openapi: "3.1.0",
    info: {
      title: "Lossless",
      version: "2.0.0",
      description:
        "Records machine-learning experiments and gives back exactly what it acknowledged. " +
        "Parts marked `x-extension` are additions to the specification that no client needs.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: securitySchemes,
      headers: headers,
      parameters: parameters,
    },
    "x-error-codes": Object.fromEntries(errorCodes.map((code) => [code, describeCode(code)])),
    "x-limits": limits,
  };
}

type Content = Record<string, { schema?: JsonSchema }>;
type FailureForms = Record<EndpointDefinition["errorForm"], Content>;

interface EventUnion {
  request: JsonSchema;
  reply: JsonSchema;
}

/**
 * Components `FolderCreateRequest`, `FolderCreatedReply` … and one union of each for every
 * endpoint.
 */
function eventUnions(components: Components): Record<EventEndpoint, EventUnion> {
  const error = components.add(replyEnvelope("ErrorReply", errorEvent, ErrorReplyData));
  const union = (endpoint: EventEndpoint): EventUnion => {
    const requests = new Map<string, JsonSchema>();
    const replies = new Map<string, JsonSchema>();
    for (const name of eventNames) {
      const definition: EventDefinition = events[name];
      if (definition.endpoint !== endpoint) continue;
      const request = addEnvelope(components, requestEnvelope, "Request", name, definition);
      requests.set(name, request);
      for (const { event, data } of definition.replies) {
        const mark = { extension: definition.extension, data };
        replies.set(event, addEnvelope(components, replyEnvelope, "Reply", event, mark));
      }
    }
    replies.set(errorEvent, error);
    const title = endpoint.charAt(0).toUpperCase() + endpoint.slice(1);
    return {
      request: components.add({ title: `${title}Request`, ...discriminated(requests) }),
      reply: components.add({ title: `${title}Reply`, ...discriminated(replies) }),
    };
  };
  return {
    organization: union("organization"),
    experiment: union("experiment"),
    series: union("series"),
  };
}

function addEnvelope(
  components: Components,
  envelope: (title: string, event: string, data: TSchema) => object,
  suffix: string,
  event: string,
  definition: { data: TSchema; extension: boolean } & Partial<EventDefinition>,
): JsonSchema {
  const title = componentTitle(event) + suffix;
  const { summary, sole, errors: codes } = definition;
  return components.add({
    ...envelope(title, event, definition.data),
    ...(summary === undefined ? {} : { description: summary }),
    ...(definition.extension ? { "x-extension": true } : {}),
    ...(sole === true ? { "x-sole-event": true } : {}),
    ...(codes === undefined ? {} : { "x-event-errors": codes }),
  });
}

/** `svc.v2.experiment.tokenRefresh` -> `ExperimentTokenRefresh`. */
export function componentTitle(event: string): string {
  const words = event.replace(/^svc\.v2\./, "").split(".");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function discriminated(members: Map<string, JsonSchema>): JsonSchema {
  return {
    oneOf: [...members.values()],
    discriminator: {
      propertyName: "event",
      mapping: Object.fromEntries([...members].map(([event, { $ref }]) => [event, $ref])),
    },
  };
}

function operation(
  name: string,
  endpoint: EndpointDefinition,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
  failure: FailureForms,
): Record<string, unknown> {
  const parameters = parametersOf(endpoint);
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.extension ? { "x-extension": true } : {}),
    security: endpoint.credentials.map((kind) => ({ [schemeNames[kind]]: [] })),
    ...(endpoint.role === undefined ? {} : { "x-person-role": endpoint.role }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(endpoint, components, unions),
    responses: {
      ...success(endpoint, components, unions),
      ...failures(endpoint, failure[endpoint.errorForm]),
    },
  };
}

function parametersOf({ path, query, credentials }: EndpointDefinition): unknown[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const schemas = Object.entries((query?.properties ?? {}) as Record<string, JsonSchema>);
  const required = (query?.required ?? []) as string[];
  const inQuery = schemas.map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: JSON.parse(JSON.stringify(schema)) as JsonSchema,
  }));
  const organization = { $ref: "#/components/parameters/Organization" };
  return [...inPath, ...inQuery, ...(credentials.includes("oauth") ? [organization] : [])];
}

function requestBody(
  { request }: EndpointDefinition,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Record<string, unknown> {
  if (request.kind === "none") return {};
  return { requestBody: { required: true, content: requestContent(request, components, unions) } };
}

function requestContent(
  request: Exclude<EndpointDefinition["request"], { kind: "none" }>,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Content {
  switch (request.kind) {
    case "events": {
      const schema = oneOrMany(request.endpoint, unions[request.endpoint].request);
      return { "application/json": { schema } };
    }
    case "json":
      return { "application/json": { schema: components.add(request.schema) } };
    case "form": {
      const schema = components.add(request.schema);
      return { "application/x-www-form-urlencoded": { schema } };
    }
    case "bytes":
      return { "application/octet-stream": {} };
  }
}

function success(
  { reply }: EndpointDefinition,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Record<string, unknown> {
  if (reply.kind === "events") {
    const { reply: schema } = unions[reply.endpoint];
    const content =
      reply.endpoint === "series"
        ? { "application/x-ndjson": { schema, "x-one-per-line": true } }
        : { "application/json": { schema: oneOrMany(reply.endpoint, schema) } };
    const description =
      reply.endpoint === "series"
        ? "The stream; complete only if it ends with a done record."
        : "A reply for every event, in request order; svc.v2.error for an event that failed.";
    return { 200: { description, headers: requestIdHeader, content } };
  }
  const statuses = [reply.status, ...otherStatuses(reply)];
  const content = replyContent(reply, components);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: status === reply.status ? "Success." : (otherDescriptions[status] ?? "Other."),
        headers: requestIdHeader,
        ...(content === undefined ? {} : { content }),
      },
    ]),
  );
}

const otherDescriptions: Record<number, string> = {
  206: "The range that was asked for.",
  303: "Goes on to the page that Location names.",
  304: "Unchanged: If-None-Match names its ETag.",
  412: "Changed: If-Match does not name its ETag.",
  416: "The range is not in the file.",
  503: "Not yet, or no longer.",
};

function otherStatuses(reply: EndpointDefinition["reply"]): readonly number[] {
  // Who has to sign in first, or has answered, is sent on.
  if (reply.kind === "page") return [303];
  return "otherStatuses" in reply ? (reply.otherStatuses ?? []) : [];
}

function replyContent(
  reply: Exclude<EndpointDefinition["reply"], { kind: "events" }>,
  components: Components,
): Content | undefined {
  switch (reply.kind) {
    case "json":
      return { "application/json": { schema: components.add(reply.schema) } };
    case "bytes":
      return { "application/octet-stream": {} };
    case "page":
      return { "text/html": {} };
    case "empty":
      return undefined;
  }
}

/** Batching rule 1: one envelope gets one reply object, an array gets an array. */
function oneOrMany(endpoint: EventEndpoint, schema: JsonSchema): JsonSchema {
  if (endpoint === "series") return schema;
  const many: JsonSchema = {
    type: "array",
    items: schema,
    minItems: 1,
    maxItems: limits.eventsPerRequestMax,
  };
  return { oneOf: [schema, many] };
}

function failures(endpoint: EndpointDefinition, content: Content): Record<string, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  const taken = otherStatuses(endpoint.reply);
  const shown = (code: ErrorCode) => (endpoint.errorForm === "v1" ? codeInV1(code) : code);
  // The rows of v2 say so themselves: the endpoint of experiments has one more.
  const hasBody = endpoint.errorForm !== "v2" && endpoint.request.kind !== "none";
  const ofBody = hasBody ? bodyErrors : [];
  for (const code of [...endpoint.errors, ...ofBody, ...everyEndpointErrors]) {
    const status = statusIn(endpoint.errorForm, code);
    if (!taken.includes(status)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${shown(code)}\`: ${errors[code].sentence}`).join("\n"),
      headers: { ...requestIdHeader, ...extraHeaders(status) },
      content,
      "x-error-codes": [...new Set(codes.map(shown))],
    },
  ]);
  return Object.fromEntries(responses) as Record<string, unknown>;
}

function describeCode(code: ErrorCode): Record<string, unknown> {
  const { status, layers, sentence } = errors[code];
  return { status, retryable: isRetryable(code), layers, description: sentence };
}

const schemeNames = {
  api_key: "apiKey",
  session: "session",
  oauth: "oauth",
  experiment_token: "experimentToken",
  signature: "signature",
} as const satisfies Record<CredentialKind, string>;

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "Organization API key, prefix `ak_`; acts as its organization.",
  },
  session: {
    type: "http",
    scheme: "bearer",
    description:
      "App session token, from POST /api/v1/sessions; acts as the session's active organization. " +
      "The web application sends it as a cookie, with the header x-csrf-token.",
  },
  oauth: {
    type: "http",
    scheme: "bearer",
    description:
      "Command-line OAuth token; acts as the organization named in x-svc-organization, " +
      "if the person belongs to it.",
  },
  signature: {
    type: "apiKey",
    in: "query",
    name: "signature",
    description: "The address itself is signed by the service; it ends when expires says.",
  },
  experimentToken: {
    type: "http",
    scheme: "bearer",
    description:
      "Experiment token, prefix `ik_`, from experiment.open or tokenRefresh; " +
      "valid for one experiment, 24 hours.",
  },
};

const requestIdHeader = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

const parameters = {
  Organization: {
    name: "x-svc-organization",
    in: "header",
    required: false,
    description: "Name or id of the organization; needed with an OAuth token.",
    schema: { type: "string" },
  },
};

const headers = {
  RequestId: {
    description: "The id of this request in the service's log.",
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer" } },
  WwwAuthenticate: { description: "`Bearer`", schema: { type: "string" } },
  Allow: { description: "The methods of this address.", schema: { type: "string" } },
};

function extraHeaders(status: number): Record<string, unknown> {
  if (status === 401)
    return { "WWW-Authenticate": { $ref: "#/components/headers/WwwAuthenticate" } };
  if (status === 405) return { Allow: { $ref: "#/components/headers/Allow" } };
  if (status === 429 || status === 503) {
    return { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
  }
  return {};
}
