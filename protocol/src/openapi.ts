import type { TSchema } from "typebox";
import { Components } from "./components.ts";
import type { JsonSchema } from "./components.ts";
import { endpoints, everyEndpointErrors } from "./endpoints.ts";
import type { CredentialKind, EndpointDefinition } from "./endpoints.ts";
import {
  ErrorReplyData,
  RequestFailure,
  errorEvent,
  replyEnvelope,
  requestEnvelope,
} from "./envelope.ts";
import { errorCodes, errors, isRetryable } from "./errors.ts";
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
  const failure = components.add(RequestFailure);
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
    },
    "x-error-codes": Object.fromEntries(errorCodes.map((code) => [code, describeCode(code)])),
    "x-limits": limits,
  };
}

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
  failure: JsonSchema,
): Record<string, unknown> {
  const parameters = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.extension ? { "x-extension": true } : {}),
    security: endpoint.credentials.map((kind) => ({ [schemeNames[kind]]: [] })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(endpoint, components, unions),
    responses: { ...success(endpoint, components, unions), ...failures(endpoint, failure) },
  };
}

function requestBody(
  { request }: EndpointDefinition,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Record<string, unknown> {
  if (request.kind === "none") return {};
  const schema =
    request.kind === "json"
      ? components.add(request.schema)
      : oneOrMany(request.endpoint, unions[request.endpoint].request);
  return { requestBody: { required: true, content: { "application/json": { schema } } } };
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
  const content = { "application/json": { schema: components.add(reply.schema) } };
  return Object.fromEntries(
    [reply.status, ...(reply.otherStatuses ?? [])].map((status) => [
      status,
      {
        description: status === reply.status ? "Success." : "Not yet, or no longer.",
        headers: requestIdHeader,
        content,
      },
    ]),
  );
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

function failures(endpoint: EndpointDefinition, failure: JsonSchema): Record<string, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  const reply = endpoint.reply;
  const taken = reply.kind === "json" ? (reply.otherStatuses ?? []) : [];
  for (const code of [...endpoint.errors, ...everyEndpointErrors]) {
    const { status } = errors[code];
    if (!taken.includes(status)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${code}\`: ${errors[code].sentence}`).join("\n"),
      headers: { ...requestIdHeader, ...extraHeaders(status) },
      content: { "application/json": { schema: failure } },
      "x-error-codes": codes,
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
  experiment_token: "experimentToken",
} as const satisfies Record<CredentialKind, string>;

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "Organization API key, prefix `ak_`; acts as its organization.",
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
