import assert from "node:assert/strict";
import { Compile, type Validator } from "typebox/schema";
import {
  call,
  type HttpReply,
  type HttpRequest,
  type Json,
  type JsonObject,
  parseLines,
  parseObject,
} from "../http.ts";

/** It holds every reply seen against the schema that the service's OpenAPI document gives it. */
export class ReplyCheck {
  readonly #document: JsonObject;
  readonly #validators = new Map<string, Validator>();

  constructor(document: JsonObject) {
    this.#document = document;
  }

  static async of(baseUrl: string): Promise<ReplyCheck> {
    const reply = await call(baseUrl, { path: "/api/openapi.json" });
    assert.equal(reply.status, 200);
    return new ReplyCheck(parseObject(reply.text));
  }

  check(request: HttpRequest, reply: HttpReply): void {
    const operation = this.#operation(request);
    if (operation === undefined) {
      assert.ok(reply.status >= 400, `${request.path} answers but is not in the document`);
      return;
    }
    if (reply.text === "" && isEmptyReply(operation.value, String(reply.status))) return;
    const mediaType = String(reply.headers["content-type"]).split(";")[0];
    const where = `${operation.pointer}/${reply.status}/${mediaType}`;
    const content = replyContent(operation.value, String(reply.status));
    const described = content?.[mediaType] ?? content?.["*/*"];
    const schema = (described as JsonObject | undefined)?.schema as JsonObject | undefined;
    const isJson = mediaType.endsWith("json");
    assert.ok(
      isJson ? schema !== undefined : described !== undefined,
      `the document does not describe ${where}: ${reply.text.slice(0, 300)}`,
    );
    if (schema === undefined) return;
    let validator = this.#validators.get(where);
    if (validator === undefined) {
      // References point into #/components, so the schema is compiled as a document of its own.
      const components = this.#document.components ?? {};
      validator = Compile({ ...schema, components } as {});
      this.#validators.set(where, validator);
    }
    for (const value of valuesOf(reply.text, mediaType)) {
      if (validator.Check(value)) continue;
      const [, problems] = validator.Errors(value);
      assert.fail(
        `${where}: ${JSON.stringify(value).slice(0, 600)}\n${JSON.stringify(problems).slice(0, 1500)}`,
      );
    }
  }

  #operation(request: HttpRequest): { pointer: string; value: JsonObject } | undefined {
    const method = (request.method ?? (request.body === undefined ? "GET" : "POST")).toLowerCase();
    const path = request.path.split("?")[0];
    for (const [template, item] of Object.entries(this.#document.paths as JsonObject)) {
      const value = (item as JsonObject)[method];
      const rest = (value as JsonObject | undefined)?.["x-takes-rest"] === true ? ".+" : "[^/]+";
      const pattern = new RegExp(
        `^${template.replace(/\{[^}]+\}$/, rest).replaceAll(/\{[^}]+\}/g, "[^/]+")}$`,
      );
      if (pattern.test(path) && value !== undefined) {
        return { pointer: `${method} ${template}`, value: value as JsonObject };
      }
    }
    return undefined;
  }
}

/** Lines of JSON, one document of JSON, or a text as it is. */
function valuesOf(text: string, mediaType: string): Json[] {
  if (mediaType === "application/x-ndjson") return parseLines(text);
  return [mediaType.endsWith("json") ? (JSON.parse(text) as Json) : text];
}

/** A status that the document describes without content. */
function isEmptyReply(operation: JsonObject, status: string): boolean {
  const response = (operation.responses as JsonObject)[status] as JsonObject | undefined;
  return response !== undefined && response.content === undefined;
}

function replyContent(operation: JsonObject, status: string): JsonObject | undefined {
  const responses = operation.responses as JsonObject;
  const range = `${status[0]}XX`;
  const response = (responses[status] ?? responses[range] ?? responses.default) as
    | JsonObject
    | undefined;
  return response?.content as JsonObject | undefined;
}
