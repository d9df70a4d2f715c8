import { componentName, type JsonSchema } from "./components.ts";
import { errorCodes } from "./errors.ts";
import { limits } from "./limits.ts";
import { wireComponents } from "./wire-components.ts";

const generated = "# Generated from protocol/ by `npm run generate`: do not edit.";

/** `python/src/lossless/_ground/wire_numbers.py`: names and numbers of the wire for Python. */
export function pythonWire(): string {
  const constants = Object.entries(limits).map(
    ([name, value]) => `${constantName(name)} = ${value}`,
  );
  return [
    generated,
    '"""Names and limits of the service\'s interface; docs/limits.md describes each limit."""',
    "",
    "from __future__ import annotations",
    "",
    'EVENT_PREFIX = "svc.v2."',
    ...constants,
    "",
  ].join("\n");
}

/**
 * `python/src/lossless/wire.py`: every request and reply payload as a TypedDict. A module of its
 * own, because importing `typing` classes takes milliseconds and only type checkers need them.
 */
export function pythonWireTypes(): string {
  const declarations = [...wireComponents().schemas].map(([name, schema]) =>
    declaration(name, schema),
  );
  const codes = errorCodes.map((code) => `    ${quoted(code)},`);
  return [
    generated,
    '"""Types of requests and replies, for type checkers only."""',
    "",
    "from __future__ import annotations",
    "",
    "from typing import Any, Literal, TypedDict, Union",
    "",
    "# Codes of this version; a later service may send others.",
    `ErrorCode = Literal[\n${codes.join("\n")}\n]`,
    "",
    ...declarations.map((text) => `\n${text}`),
  ].join("\n");
}

/** Turns `metricNameBytesMax` into METRIC_NAME_BYTES_MAX. */
function constantName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function declaration(name: string, schema: JsonSchema): string {
  if (schema.oneOf !== undefined) return alternatives(name, schema);
  if (schema.anyOf !== undefined) return `${name} = ${unionOf(schema.anyOf)}\n`;
  const fields = Object.entries(schema.properties ?? {});
  const isRequired = ([key]: [string, JsonSchema]) => schema.required?.includes(key) === true;
  const optional = fields.filter((field) => !isRequired(field));
  const required = fields.filter(isRequired);
  const doc = schema.description === undefined ? [] : [`    """${schema.description}"""\n\n`];
  if (optional.length === 0) return typedDict(`${name}(TypedDict)`, doc, required);
  const some = `(TypedDict, total=False)`;
  if (required.length === 0) return typedDict(`${name}${some}`, doc, optional);
  // `NotRequired` is younger than Python 3.10.
  const always = typedDict(`_${name}(TypedDict)`, [], required);
  return `${always}\n\n${typedDict(`${name}(_${name}, total=False)`, doc, optional)}`;
}

function typedDict(head: string, doc: string[], fields: [string, JsonSchema][]): string {
  const lines = fields.map(([key, value]) => comment(value) + `    ${key}: ${typeOf(value)}\n`);
  const body = [...doc, ...lines];
  return `class ${head}:\n${body.length === 0 ? "    pass\n" : body.join("")}`;
}

/** Turns "exactly one of these fields" into a union of classes with one of them each. */
function alternatives(name: string, schema: JsonSchema): string {
  const choices = (schema.oneOf ?? []).map((choice) => choice.required![0]);
  const fields = Object.entries(schema.properties ?? {});
  const classes = choices.map((chosen) => ({
    title: `_${name}By${chosen[0].toUpperCase()}${chosen.slice(1)}`,
    fields: fields.filter(([key]) => key === chosen || !choices.includes(key)),
  }));
  const texts = classes.map((one) => typedDict(`${one.title}(TypedDict)`, [], one.fields));
  const union = classes.map(({ title }) => title).join(", ");
  return `${texts.join("\n\n")}\n\n${name} = Union[${union}]\n`;
}

function comment(schema: JsonSchema): string {
  const description = schema.description ?? schema.anyOf?.[0]?.description;
  if (description === undefined) return "";
  return `${description.replaceAll(/^/gm, "    # ")}\n`;
}

/** Member types are quoted: an alias is evaluated at import, maybe before they are defined. */
function unionOf(choices: JsonSchema[]): string {
  return `Union[${choices.map((one) => quoted(typeOf(one))).join(", ")}]`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return componentName(schema.$ref);
  if (schema.const !== undefined) return `Literal[${quoted(schema.const)}]`;
  if (schema.enum !== undefined) {
    if (schema.enum.length === errorCodes.length) return "ErrorCode";
    return `Literal[${schema.enum.map(quoted).join(", ")}]`;
  }
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map(typeOf).join(" | ");
  }
  const { type } = schema;
  if (schema["x-any"] === true) return "Any";
  if (type === undefined) {
    throw new Error(`BUG: no Python for a schema, got ${JSON.stringify(schema)}`);
  }
  switch (type) {
    case "integer":
      return "int";
    case "number":
      return "float";
    case "string":
      return "str";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "array":
      return `list[${typeOf(schema.items!)}]`;
    case "object":
      if (typeof schema.additionalProperties !== "object") return "dict[str, Any]";
      return `dict[str, ${typeOf(schema.additionalProperties)}]`;
  }
}

function quoted(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return JSON.stringify(value);
  throw new Error(`BUG: only words and truths can be constants, got ${JSON.stringify(value)}`);
}
