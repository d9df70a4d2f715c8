import { agentErrors } from "./agent-endpoints.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { v2Errors } from "./error-forms.ts";
import { mlflowErrors } from "./mlflow-errors.ts";
import { scimErrors } from "./scim-errors.ts";

/**
 * The client's `endpoints.ts`: method, path, query, body and reply of every endpoint that programs
 * call, one a line.
 */
export function clientEndpoints(): string {
  const rows = calledEndpoints().map(([name, row]) => {
    const types = [queryType(row), bodyType(row), replyType(row)];
    const made = `endpoint<${types.join(", ")}>("${row.method}", `;
    const parts = partsOf(row.path);
    if (parts.length === 0) return `  ${name}: ${made}"${row.path}"),\n`;
    const given = parts.map((part) => `${part}: string`).join(", ");
    const path = row.path.replaceAll(/\{(\w+)\}/g, "${segment($1)}");
    return `  ${name}: (${given}) => ${made}\`${path}\`),\n`;
  });
  return [
    "// Generated from protocol/src by `npm run generate`; do not edit.\n",
    'import { endpoint, segment } from "./endpoint.ts";',
    'import type * as Wire from "./wire.ts";\n',
    "/** Every address that programs call: what it takes as query and as body, and what it gives. */",
    `export const endpoints = {\n${rows.join("")}} as const;\n`,
  ].join("\n");
}

/**
 * `python/src/lossless/_ground/endpoints.py`: one function an endpoint, which returns method and
 * address.
 */
export function pythonEndpoints(): string {
  const functions = calledEndpoints().map(([name, { method, path, query }]) => {
    const parts = partsOf(path);
    const names = Object.keys(query?.properties ?? {});
    const required = new Set<string>(query?.required ?? []);
    const given = [
      ...parts.map((part) => `${snake(part)}: str`),
      ...(names.length === 0 ? [] : ["*"]),
      ...names.map((each) => (required.has(each) ? `${each}: str` : `${each}: str | None = None`)),
    ];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => `{segment(${snake(part)})}`);
    const text = parts.length === 0 ? `"${path}"` : `f"${filled}"`;
    const values = names.map((each) => `, ${each}=${each}`).join("");
    const address = names.length === 0 ? text : `address(${text}${values})`;
    return `def ${snake(name)}(${given.join(", ")}) -> Endpoint: return "${method}", ${address}`;
  });
  return [
    "# Generated from protocol/ by `npm run generate`: do not edit.",
    '"""Method and address of what programs call; the values of a query are its own."""',
    "",
    "from __future__ import annotations",
    "",
    "from .address import Endpoint, address, segment",
    "",
    ...functions,
    "",
  ].join("\n");
}

/**
 * The endpoints of our clients: no pages, signed addresses, documents or health, and none that
 * serve agents, MLflow's clients and identity providers.
 */
function calledEndpoints(): [string, EndpointDefinition][] {
  return Object.entries<EndpointDefinition>(endpoints).filter(
    ([, { reply, credentials, errorForm }]) =>
      reply.kind !== "page" &&
      errorForm !== agentErrors &&
      errorForm !== mlflowErrors &&
      errorForm !== scimErrors &&
      !credentials.includes("signature") &&
      (errorForm !== v2Errors || credentials.length > 0),
  );
}

function queryType({ query }: EndpointDefinition): string {
  if (query === undefined) return "undefined";
  const required = new Set<string>(query.required ?? []);
  const members = Object.keys(query.properties).map((name) =>
    required.has(name) ? `${name}: string` : `${name}?: string | undefined`,
  );
  return `{ ${members.join("; ")} }`;
}

function bodyType({ request }: EndpointDefinition): string {
  switch (request.kind) {
    case "none":
      return "undefined";
    case "json":
      return wireType(request.schema);
    case "form":
      return "Record<string, string>";
    case "bytes":
      return "Uint8Array<ArrayBuffer>";
    case "events":
      return "string";
  }
}

/** Replies of events have types of their own: `Events`. */
function replyType({ reply }: EndpointDefinition): string {
  return reply.kind === "json" ? wireType(reply.schema) : "undefined";
}

function wireType({ title }: { title?: string }): string {
  if (title === undefined) throw new Error("BUG: a body without a title has no type in wire.ts");
  return `Wire.${title}`;
}

function partsOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
}

/** Turns `openArtifact` into open_artifact. */
function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
