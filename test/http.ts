import assert from "node:assert/strict";
import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { request as requestSecurely } from "node:https";

/** A JSON value as a test sees it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export interface HttpRequest {
  method?: string;
  path: string;
  credential?: string | undefined;
  headers?: Record<string, string | string[]>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  body?: unknown;
  agent?: Agent;
}

export interface HttpReply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

/**
 * One HTTP request, with nothing added that the caller did not ask for: no retry, no redirect, no
 * decoding. Rejects only when the connection fails before the whole reply is read.
 */
export function call(baseUrl: string, options: HttpRequest): Promise<HttpReply> {
  const headers: Record<string, string | string[] | number> = {};
  if (options.credential !== undefined) headers.authorization = `Bearer ${options.credential}`;
  const body = bodyBytes(options.body);
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    const isChunked = options.headers?.["transfer-encoding"] !== undefined;
    if (!isChunked) headers["content-length"] = body.length;
  }
  Object.assign(headers, options.headers);
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  const url = new URL(baseUrl);
  const { hostname, port, protocol, pathname } = url;
  // A redirect or a form of a service below a path has that already.
  const base = pathname.replace(/\/$/, "");
  const path = options.path.startsWith(`${base}/`) ? options.path : base + options.path;
  const begin = protocol === "https:" ? requestSecurely : request;
  return new Promise((resolve, reject) => {
    const agent = options.agent ?? false;
    const sent = begin({ hostname, port, path, method, headers, agent });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode, headers } = response;
        resolve({ status: statusCode!, headers, bytes, text: bytes.toString("utf8") });
      });
    });
    sent.end(body);
  });
}

function bodyBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

export function parseObject<Value = JsonObject>(text: string): Value {
  const value = JSON.parse(text) as Json;
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new Error(`expected a JSON object, got ${text.slice(0, 200)}`);
  }
  return value as Value;
}

/** What a reply with this status holds. */
export function ok<Body = JsonObject>(reply: HttpReply, status = 200): Body {
  assert.equal(reply.status, status, reply.text.slice(0, 500));
  return parseObject<Body>(reply.text);
}

/** The lines of an NDJSON reply. Throws when the last line is not ended. */
export function parseLines<Value = JsonObject>(text: string): Value[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error(`unfinished line: ${text.slice(-200)}`);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => parseObject<Value>(line));
}
