import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/schema";
import {
  type EndpointDefinition,
  endpoints,
  errorCodes,
  errorEvent,
  type EventDefinition,
  eventNames,
  events,
} from "./index.ts";
import { componentTitle, openApiDocument } from "./openapi.ts";
import type { JsonSchema } from "./components.ts";

interface Operation {
  operationId: string;
  description?: string;
  tags?: string[];
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content: Record<string, { schema: JsonSchema }> }>;
  "x-extension"?: boolean;
  "x-credentials"?: string[];
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> };
  "x-error-codes": Record<string, { status: number; retryable: boolean; description: string }>;
};
const { schemas } = document.components;

function resolve(reference: string): unknown {
  let place: unknown = document;
  for (const step of reference.split("/").slice(1))
    place = (place as Record<string, unknown>)[step];
  return place;
}

test("the document is the same on every call", () => {
  assert.equal(document.openapi, "3.1.0");
  assert.deepEqual(openApiDocument(), openApiDocument());
});

test("every reference leads to something", () => {
  let references = 0;
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [key, item] of Object.entries(value)) {
      if (key === "$ref") {
        references++;
        assert.ok(resolve(item as string) !== undefined, String(item));
      } else visit(item);
    }
  };
  visit(document);
  assert.ok(references > 100);
});

test("every endpoint is in the document with its credentials, bodies and failures", () => {
  for (const [name, endpoint] of Object.entries<EndpointDefinition>(endpoints)) {
    const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    assert.equal(operation?.operationId, name);
    assert.deepEqual(operation["x-credentials"] ?? [], endpoint.credentials);
    assert.equal(operation.security.length > 0, endpoint.credentials.length > 0);
    for (const scheme of operation.security.flatMap((one) => Object.keys(one))) {
      assert.ok(scheme in document.components.securitySchemes);
    }
    assert.equal(operation.requestBody !== undefined, endpoint.request.kind !== "none");
    assert.equal(operation["x-extension"] === true, endpoint.extension);
    const { reply } = endpoint;
    assert.ok(operation.responses[reply.kind === "events" ? "200" : String(reply.status)]);
    for (const code of endpoint.errors) {
      const { status } = document["x-error-codes"][code];
      assert.ok(
        operation.responses[endpoint.errorForm.statusOf?.(code) ?? status],
        `${name} has no answer for ${code}`,
      );
    }
  }
});

test("every event has its request and reply envelopes, in the unions of its endpoint", () => {
  for (const name of eventNames) {
    const definition: EventDefinition = events[name];
    const title = definition.endpoint.charAt(0).toUpperCase() + definition.endpoint.slice(1);
    const request = schemas[`${componentTitle(name)}Request`];
    assert.deepEqual(eventOf(request), [name]);
    assert.equal(request["x-extension"] === true, definition.extension);
    assert.ok(membersOf(`${title}Request`)[name]);
    for (const { event } of definition.replies) {
      const reply = schemas[`${componentTitle(event)}Reply`];
      assert.deepEqual(eventOf(reply), [event]);
      assert.equal(reply["x-extension"] === true, definition.extension);
      assert.ok(membersOf(`${title}Reply`)[event]);
    }
    assert.ok(membersOf(`${title}Reply`)[errorEvent]);
  }
});

/** An enumeration of its own, by which generated clients tell envelopes apart. */
function eventOf(envelope: JsonSchema | undefined): unknown {
  const reference = envelope?.properties?.["event"]?.$ref;
  return (resolve(reference ?? "#") as JsonSchema).enum;
}

function membersOf(component: string): Record<string, string> {
  const members = schemas[component]["x-events"] as Record<string, string>;
  const references = schemas[component].oneOf?.map((one) => one.$ref);
  assert.deepEqual(references, Object.values(members));
  return members;
}

/** Requirements of OpenAPI linters, and pitfalls of generators for Go, Java and Rust. */
test("generators and linters find what they need", () => {
  const { servers, tags } = JSON.parse(JSON.stringify(openApiDocument())) as {
    servers: unknown;
    tags: { name: string; description: string }[];
  };
  assert.deepEqual(servers, [{ url: "/" }]);
  const names = tags.map(({ name }) => name);
  const used = new Set<string>();
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods)) {
      const { description, tags: own = [] } = operation;
      assert.ok((description?.length ?? 0) > 20, operation.operationId);
      assert.equal(own.length, 1, operation.operationId);
      assert.ok(names.includes(own[0]), own[0]);
      used.add(own[0]);
    }
  }
  assert.deepEqual([...used].sort(), [...names].sort());

  let integers = 0;
  const visit = (value: unknown, place: string): void => {
    if (value === null || typeof value !== "object") return;
    const schema = value as JsonSchema;
    for (const [key, item] of Object.entries(value)) visit(item, `${place}/${key}`);
    if (schema.type === "integer") {
      integers++;
      assert.equal(schema["format"], "int64", place);
    }
    if (schema.type === "number") assert.equal(schema["format"], "double", place);
    assert.equal(schema["const"], undefined, place);
    assert.equal(schema["x-name"], undefined, place);
    const { pattern } = schema;
    if (typeof pattern === "string") assert.doesNotMatch(pattern, /\(\?[=!<]|\[\^\]|\\u/, place);
  };
  visit(schemas, "schemas");
  visit(document.paths, "paths");
  assert.ok(integers > 40);
});

test("examples are what their schemas describe", () => {
  let examples = 0;
  for (const methods of Object.values(document.paths)) {
    for (const { requestBody, responses, operationId } of Object.values(methods)) {
      for (const { content } of [requestBody, ...Object.values(responses)].filter(
        (one) => one?.content !== undefined,
      ) as { content: Record<string, { schema: JsonSchema; example?: unknown }> }[]) {
        for (const { schema, example } of Object.values(content)) {
          if (example === undefined) continue;
          examples++;
          const validator = Compile({ ...document, ...schema });
          assert.ok(validator.Check(example), `${operationId}: ${JSON.stringify(example)}`);
        }
      }
    }
  }
  assert.ok(examples >= 10, `${examples}`);
});

test("words of paths are refused and taken as by a look-ahead", () => {
  const word = String.raw`(?!\.{1,2}(?:/|$))[^/\\\u0000-\u001f\u007f-\u009f]+`;
  const old = new RegExp(`^${word}(?:/${word})*$`, "u");
  const { pattern } = schemas["NewFile"].properties!["name"];
  const now = new RegExp(pattern as string, "u");
  const letters = [".", "/", "a", "\\", "\u0085", "é"];
  const words = [""];
  for (let from = 0, length = 0; length < 5; length++) {
    const to = words.length;
    for (; from < to; from++) words.push(...letters.map((letter) => words[from] + letter));
  }
  for (const word of words) assert.equal(now.test(word), old.test(word), JSON.stringify(word));
});

test("every error code is described and answers somewhere", () => {
  assert.deepEqual(Object.keys(document["x-error-codes"]), errorCodes);
  const text = JSON.stringify([document.paths, schemas]);
  for (const code of errorCodes) {
    const described = document["x-error-codes"][code];
    assert.ok(described.status >= 400 && described.status < 600);
    assert.equal(typeof described.retryable, "boolean");
    assert.ok(described.description.endsWith("."));
    assert.ok(text.includes(`"${code}"`), code);
  }
});

/** Keywords used by the schemas, with the form that JSON Schema 2020-12 requires. */
const keywords: Record<string, (value: unknown) => boolean> = {
  $ref: (value) => typeof value === "string",
  type: (value) =>
    ["object", "array", "string", "integer", "number", "boolean", "null"].includes(value as string),
  description: (value) => typeof value === "string",
  const: () => true,
  enum: (value) => Array.isArray(value) && new Set(value).size === value.length,
  anyOf: Array.isArray,
  oneOf: Array.isArray,
  properties: (value) => typeof value === "object",
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  additionalProperties: (value) => value === false || typeof value === "object",
  items: (value) => typeof value === "object",
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  minLength: Number.isSafeInteger,
  maxLength: Number.isSafeInteger,
  minItems: Number.isSafeInteger,
  maxItems: Number.isSafeInteger,
  minProperties: Number.isSafeInteger,
  maxProperties: Number.isSafeInteger,
  pattern: (value) => new RegExp(value as string, "u") instanceof RegExp,
  format: (value) => value === "int64" || value === "double",
};

test("every component is JSON Schema 2020-12 in shape, closed, and compiles", () => {
  const visit = (schema: JsonSchema, place: string): void => {
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword.startsWith("x-")) continue;
      assert.ok(keywords[keyword]?.(value), `${place}: ${keyword}`);
    }
    if (schema.properties !== undefined) {
      assert.equal(schema.additionalProperties, false, `${place} is open`);
      for (const name of schema.required ?? []) assert.ok(name in schema.properties, place);
    }
    for (const [name, part] of Object.entries(schema.properties ?? {}))
      visit(part, `${place}.${name}`);
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(part, place);
    if (schema.items !== undefined) visit(schema.items, `${place}[]`);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties, place);
  };
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
});

test("an integer that is asked with has an end", () => {
  const seen = new Set<unknown>();
  const visit = (value: unknown, place: string): void => {
    if (value === null || typeof value !== "object" || seen.has(value)) return;
    seen.add(value);
    const { type, maximum, $ref } = value as JsonSchema;
    if (type === "integer") assert.notEqual(maximum, undefined, place);
    if ($ref !== undefined) visit(resolve($ref), $ref);
    for (const [name, part] of Object.entries(value)) visit(part, `${place}.${name}`);
  };
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of Object.values(operations)) {
      const { requestBody, parameters } = operation as Operation & { parameters?: unknown };
      visit([requestBody, parameters], path);
    }
  }
  assert.ok(seen.size > 500);
});

test("the document's schemas accept and refuse as a foreign validator reads them", () => {
  const request = Compile({ ...document, $ref: "#/components/schemas/ExperimentRequest" });
  const data = {
    experimentId: "x",
    timestampMs: 0,
    step: 0,
    metricName: "a",
    metricValue: 1,
    meta: {},
  };
  const event = { messageId: "m", event: "svc.v2.experiment.metric", data };
  assert.equal(request.Check(event), true);
  assert.equal(request.Check({ ...event, data: { ...data, step: "0" } }), false);
  assert.equal(request.Check({ ...event, data: { ...data, extra: 0 } }), false);
  assert.equal(request.Check({ ...event, event: "svc.v2.folder.create" }), false);
});
