import type { TSchema } from "typebox";
import { Components, type JsonSchema } from "./components.ts";
import { bodyErrors, type EndpointDefinition, everyEndpointErrors } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { ErrorReplyData, errorEvent, replyEnvelope, requestEnvelope } from "./envelope.ts";
import type { ErrorForm } from "./error-form.ts";
import { type ErrorCode, errorCodes, errors, isRetryable } from "./errors.ts";
import { type EventDefinition, type EventEndpoint, eventNames, events } from "./events.ts";
import { limits } from "./limits.ts";
import {
  extraHeaders,
  headers,
  parameters,
  columnsHeader,
  requestIdHeader,
  schemeNames,
  securitySchemes,
} from "./openapi-security.ts";
import { exampleOf } from "./openapi-examples.ts";
import { descriptionOf, tagOf, tags } from "./openapi-text.ts";
import { portable, portableInline } from "./portable.ts";
import { seriesTypes } from "./series-types.ts";

/**
 * The OpenAPI 3.1 document of the whole interface: deterministic, and without data of any tenant.
 */
export function openApiDocument(): Record<string, unknown> {
  const components = new Components();
  const unions = eventUnions(components);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries<EndpointDefinition>(endpoints)) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path][endpoint.method.toLowerCase()] = operation(
      name,
      endpoint,
      components,
      unions,
    );
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Lossless",
      version: "2.0.0",
      description:
        "Records machine-learning experiments and gives back exactly what it acknowledged. " +
        "Parts marked `x-extension` are additions to the specification that no client needs.\n\n" +
        "How to be correct (ids and retry, order, tokens, streams, parts) is said by " +
        "`docs/write-a-client.md` of the source, with cases to run.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags,
    paths,
    components: {
      schemas: portable(Object.fromEntries(components.schemas)),
      securitySchemes: securitySchemes,
      headers: headers,
      parameters: parameters,
    },
    "x-error-codes": Object.fromEntries(errorCodes.map((code) => [code, describeCode(code)])),
    "x-limits": limits,
  };
}

type Content = Record<string, { schema?: JsonSchema; example?: unknown; "x-extension"?: true }>;

interface EventUnion {
  request: JsonSchema;
  reply: JsonSchema;
}

/**
 * Adds components `FolderCreateRequest`, `FolderCreatedReply` …, and unions of them by endpoint.
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
    const request = components.add({ title: `${title}Request`, ...eventUnion(requests) });
    const reply = components.add({ title: `${title}Reply`, ...eventUnion(replies) });
    if (endpoint === "series") return { request, reply };
    return {
      request: components.add(oneOrMany(`${title}RequestOrList`, request)),
      reply: components.add(oneOrMany(`${title}ReplyOrList`, reply)),
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

/**
 * A union told apart by the event's name, which has a type of its own in each member. No
 * discriminator: the generator for Rust removes the property that it names.
 */
function eventUnion(members: Map<string, JsonSchema>): JsonSchema {
  return {
    oneOf: [...members.values()],
    "x-events": Object.fromEntries([...members].map(([event, { $ref }]) => [event, $ref])),
  };
}

function operation(
  name: string,
  endpoint: EndpointDefinition,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Record<string, unknown> {
  const parameters = parametersOf(endpoint);
  return {
    operationId: name,
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    tags: [tagOf(endpoint)],
    ...(endpoint.extension ? { "x-extension": true } : {}),
    ...(endpoint.takesRest ? { "x-takes-rest": true } : {}),
    security: [...new Set(endpoint.credentials.map((kind) => schemeNames[kind]))].map((scheme) => ({
      [scheme]: [],
    })),
    ...(endpoint.credentials.length === 0 ? {} : { "x-credentials": endpoint.credentials }),
    ...(endpoint.role === undefined ? {} : { "x-person-role": endpoint.role }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(name, endpoint, components, unions),
    responses: {
      ...success(name, endpoint, components, unions),
      ...failures(endpoint, components),
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
    schema: portableInline(JSON.parse(JSON.stringify(schema)) as JsonSchema),
  }));
  const organization = { $ref: "#/components/parameters/Organization" };
  return [...inPath, ...inQuery, ...(credentials.includes("oauth") ? [organization] : [])];
}

function requestBody(
  name: string,
  { request }: EndpointDefinition,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Record<string, unknown> {
  if (request.kind === "none") return {};
  const content = requestContent(request, components, unions);
  return { requestBody: { required: true, content: withExample(content, name, "request") } };
}

function requestContent(
  request: Exclude<EndpointDefinition["request"], { kind: "none" }>,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Content {
  switch (request.kind) {
    case "events": {
      return { "application/json": { schema: unions[request.endpoint].request } };
    }
    case "json":
      return {
        [request.mediaType ?? "application/json"]: { schema: components.add(request.schema) },
      };
    case "form": {
      const schema = components.add(request.schema);
      return { "application/x-www-form-urlencoded": { schema } };
    }
    case "bytes":
      return { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
  }
}

function success(
  name: string,
  { reply }: EndpointDefinition,
  components: Components,
  unions: Record<EventEndpoint, EventUnion>,
): Record<string, unknown> {
  if (reply.kind === "events") {
    const { reply: schema } = unions[reply.endpoint];
    const content =
      reply.endpoint === "series"
        ? { [seriesTypes.lines]: { schema, "x-one-per-line": true } }
        : { "application/json": { schema } };
    const others = reply.endpoint === "series" ? binarySeries : {};
    const description =
      reply.endpoint === "series"
        ? "The stream; complete only if it ends with a done record."
        : "A reply for every event, in request order; svc.v2.error for an event that failed.";
    return {
      200: {
        description,
        headers: { ...requestIdHeader, ...(name === "organizationEvents" ? columnsHeader : {}) },
        content: { ...withExample(content, name, "reply"), ...others },
      },
    };
  }
  const statuses = [reply.status, ...otherStatuses(reply)];
  const content = replyContent(reply, components);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: status === reply.status ? "Success." : (otherDescriptions[status] ?? "Other."),
        headers: requestIdHeader,
        ...(content === undefined || bodiless.has(status)
          ? {}
          : { content: status === reply.status ? withExample(content, name, "reply") : content }),
      },
    ]),
  );
}

/** Extension: what a stream of series is if Accept names it. */
const binarySeries: Content = Object.fromEntries(
  [seriesTypes.columns, seriesTypes.arrow].map((type) => [
    type,
    { schema: { type: "string", format: "binary" }, "x-extension": true },
  ]),
);

const bodiless: ReadonlySet<number> = new Set([202, 307]);
const otherDescriptions: Record<number, string> = {
  202: "Taken; there is no answer to it.",
  206: "The range that was asked for.",
  303: "Redirects to the page in Location.",
  307: "The file is at the address in Location, for an hour; do not send the key there.",
  304: "Unchanged: If-None-Match names its ETag.",
  412: "Changed: If-Match does not name its ETag.",
  416: "The range is not in the file.",
  503: "Not yet, or no longer.",
};

function otherStatuses(reply: EndpointDefinition["reply"]): readonly number[] {
  // People who must sign in first, or who have answered, are redirected.
  if (reply.kind === "page") return [303];
  return "otherStatuses" in reply ? (reply.otherStatuses ?? []) : [];
}

function replyContent(
  reply: Exclude<EndpointDefinition["reply"], { kind: "events" }>,
  components: Components,
): Content | undefined {
  switch (reply.kind) {
    case "json":
      return { [reply.mediaType ?? "application/json"]: { schema: components.add(reply.schema) } };
    case "bytes": {
      const mediaType = reply.isTyped ? "*/*" : "application/octet-stream";
      return { [mediaType]: { schema: { type: "string", format: "binary" } } };
    }
    case "csv":
      return { "text/csv": { schema: { type: "string" } } };
    case "parquet":
      return {
        "application/vnd.apache.parquet": { schema: { type: "string", format: "binary" } },
      };
    case "text":
      return { "text/plain": { schema: { type: "string" } } };
    case "page":
      return { "text/html": { schema: { type: "string" } } };
    case "empty":
      return undefined;
  }
}

/** Batching rule 1: one envelope gets one reply object, an array gets an array. */
function oneOrMany(title: string, { $ref }: JsonSchema): object {
  const many = {
    type: "array",
    items: { $ref },
    minItems: 1,
    maxItems: limits.eventsPerRequestMax,
  };
  return { title, oneOf: [{ $ref }, many] };
}

function withExample(content: Content, name: string, side: "request" | "reply"): Content {
  const example = exampleOf(name, side);
  if (example === undefined) return content;
  return Object.fromEntries(
    Object.entries(content).map(([type, one]) => [type, { ...one, example }]),
  );
}

function failures(endpoint: EndpointDefinition, components: Components): Record<string, unknown> {
  const { errorForm, request } = endpoint;
  const byStatus = new Map<number, ErrorCode[]>();
  const taken = otherStatuses(endpoint.reply);
  const shown = (code: ErrorCode) => errorForm.codeOf?.(code) ?? code;
  const ofBody = request.kind === "none" ? [] : bodyErrors;
  for (const code of new Set([...endpoint.errors, ...ofBody, ...everyEndpointErrors])) {
    const status = errorForm.statusOf?.(code) ?? errors[code].status;
    if (!taken.includes(status)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${shown(code)}\`: ${errors[code].sentence}`).join("\n"),
      headers: { ...requestIdHeader, ...extraHeaders(status) },
      content: failureContent(errorForm, components),
      "x-error-codes": [...new Set(codes.map(shown))],
    },
  ]);
  return Object.fromEntries(responses) as Record<string, unknown>;
}

function failureContent({ json, mediaType }: ErrorForm, components: Components): Content {
  return json === undefined
    ? { "text/html": { schema: { type: "string" } } }
    : { [mediaType ?? "application/json"]: { schema: components.add(json.schema) } };
}

function describeCode(code: ErrorCode): Record<string, unknown> {
  const { status, layers, sentence } = errors[code];
  return { status, retryable: isRetryable(code), layers, description: sentence };
}
