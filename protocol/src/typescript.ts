import { componentName, type Components, type JsonSchema } from "./components.ts";
import { errorCodes, errors } from "./errors.ts";
import { type EventDefinition, eventNames, events } from "./events.ts";
import { limits } from "./limits.ts";
import { wireComponents } from "./wire-components.ts";

/**
 * The client's `wire.ts`: every request and reply payload as a TypeScript interface, the table of
 * events as a type, the error codes and the limits. It has no imports, so the published client has
 * no dependencies.
 */
export function wireTypes(): string {
  const components = wireComponents();
  const rows = eventNames.map((name) => eventRow(name, events[name], components));
  const declarations = [...components.schemas].map(([name, schema]) => declaration(name, schema));
  return [
    "// Generated from protocol/src by `npm run generate`; do not edit.\n",
    envelopes,
    `/** Every event: what it sends and what it gets back (a stream: any of its records). */\n` +
      `export interface Events {\n${rows.join("")}}\n`,
    "export type EventName = keyof Events;\n",
    errorCodeType(),
    limitsConstant(),
    ...declarations,
  ].join("\n");
}

const envelopes = `/** One request event. */
export interface RequestEnvelope<Name extends EventName = EventName> {
  messageId: string;
  correlationId?: string;
  event: Name;
  data: Events[Name]["data"];
}

/** One reply; correlationId is the messageId of the request. */
export interface ReplyEnvelope<Event extends string = string, Data = unknown> {
  messageId: string;
  correlationId: string;
  event: Event;
  data: Data;
}

/** The reply in place of the result when an event fails, and the end of a stream that fails. */
export type ErrorReply = ReplyEnvelope<"svc.v2.error", ErrorReplyData>;
`;

function eventRow(name: string, definition: EventDefinition, components: Components): string {
  const data = typeOf(components.add(definition.data));
  const replies = definition.replies.map(
    (reply) => `ReplyEnvelope<"${reply.event}", ${typeOf(components.add(reply.data))}>`,
  );
  const reply =
    replies.length === 1 ? ` ${replies[0]}` : replies.map((one) => `\n      | ${one}`).join("");
  const note = definition.extension ? " Extension: not in the specification." : "";
  return (
    `  /** ${definition.summary}${note} */\n` +
    `  "${name}": {\n    data: ${data};\n    reply:${reply};\n  };\n`
  );
}

function errorCodeType(): string {
  const lines = errorCodes.map((code) => `  | "${code}"`);
  return (
    `/** Codes of this version; a later service may send others. */\n` +
    `export type ErrorCode =\n${lines.join("\n")};\n\n` +
    "/** HTTP status of each code. */\n" +
    "export const errorStatus: Readonly<Record<ErrorCode, number>> = {\n" +
    `${errorCodes.map((code) => `  ${code}: ${errors[code].status},\n`).join("")}};\n`
  );
}

function limitsConstant(): string {
  const lines = Object.entries(limits).map(([name, value]) => `  ${name}: ${grouped(value)},\n`);
  return (
    "/** Limits of the wire; characters are Unicode code points, bytes are UTF-8. */\n" +
    `export const limits = {\n${lines.join("")}} as const;\n`
  );
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "_");
}

function declaration(name: string, schema: JsonSchema): string {
  const comment = doc(schema, "");
  const properties = Object.entries(schema.properties ?? {});
  if (schema.oneOf !== undefined) return comment + alternatives(name, schema);
  if (schema.anyOf !== undefined) return `${comment}export type ${name} = ${typeOf(schema)};\n`;
  if (properties.length === 0) return `${comment}export type ${name} = Record<string, never>;\n`;
  const fields = properties.map(([key, value]) => field(key, value, schema, "  "));
  return `${comment}export interface ${name} {\n${fields.join("")}}\n`;
}

/** Turns "exactly one of these fields" into a union of objects with one of them each. */
function alternatives(name: string, schema: JsonSchema): string {
  const choices = (schema.oneOf ?? []).map((choice) => choice.required![0]);
  const objects = choices.map((chosen) => {
    const fields = Object.entries(schema.properties ?? {})
      .filter(([key]) => key === chosen || !choices.includes(key))
      .map(([key, value]) => `${key}: ${typeOf(value)}`);
    return `{ ${fields.join("; ")} }`;
  });
  const line = `export type ${name} = ${objects.join(" | ")};`;
  if (line.length <= 100) return `${line}\n`;
  return `export type ${name} =\n${objects.map((one) => `  | ${one}`).join("\n")};\n`;
}

function field(key: string, value: JsonSchema, parent: JsonSchema, indent: string): string {
  const optional = parent.required?.includes(key) === true ? "" : "?";
  const line = `${indent}${key}${optional}: ${typeOf(value)};`;
  const words = line.length > 100 ? (value.items?.enum ?? []) : [];
  if (words.length === 0) return `${doc(value, indent)}${line}\n`;
  const choices = words.map((word) => `${indent}  | ${JSON.stringify(word)}\n`).join("");
  return `${doc(value, indent)}${indent}${key}${optional}: (\n${choices}${indent})[];\n`;
}

function doc(schema: JsonSchema, indent: string): string {
  const description = schema.description ?? schema.anyOf?.[0]?.description;
  return description === undefined ? "" : `${indent}/** ${description} */\n`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return componentName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) {
    if (schema.enum.length === errorCodes.length) return "ErrorCode";
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  const { type } = schema;
  if (schema["x-any"] === true) return "unknown";
  if (type === undefined) {
    throw new Error(`BUG: no TypeScript for a schema, got ${JSON.stringify(schema)}`);
  }
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    case "array":
      return arrayOf(typeOf(schema.items!));
    case "object":
      if (typeof schema.additionalProperties !== "object") return "Record<string, unknown>";
      return `Record<string, ${typeOf(schema.additionalProperties)}>`;
  }
}

function arrayOf(item: string): string {
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}
