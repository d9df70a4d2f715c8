import * as Type from "./type.ts";
import type { TProperties, TSchema } from "typebox";
import { limits } from "./limits.ts";

/**
 * Building blocks of the schemas. `title` names a schema that becomes a component of the OpenAPI
 * document and an interface of the client; `x-rule` completes the message for a refused value.
 */
export function closedObject<Properties extends TProperties>(
  title: string,
  properties: Properties,
  options: { description?: string } = {},
) {
  return Type.Object(properties, { title, additionalProperties: false, ...options });
}

export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/**
 * A fixed set of strings; `name` is that of its component in the OpenAPI document. Generated Go
 * puts all constants into one name space, so of two sets that share a word only one is named.
 */
export function oneOfStrings<const Values extends string[]>(
  name: string | undefined,
  values: Values,
) {
  return Type.Unsafe<Values[number]>({
    type: "string",
    enum: values,
    ...(name === undefined ? {} : { "x-name": name }),
  });
}

/** An id or name to look up: any string, and an unknown one is answered as not found. */
export function reference(description: string) {
  return Type.String({ description, maxLength: limits.referenceCharactersMax });
}

export function assignedId(description: string) {
  return Type.String({ description, maxLength: limits.assignedIdCharactersMax });
}

export function text(charactersMin: number, charactersMax: number, description: string) {
  return Type.String({ description, minLength: charactersMin, maxLength: charactersMax });
}

export function milliseconds(description: string) {
  return Type.Integer({ description, minimum: 0, maximum: limits.timestampMsMax });
}

export function count(description: string) {
  return Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
}

/** Free JSON; its size is checked by checkJsonMeta, because JSON Schema cannot count bytes. */
export function jsonMeta(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: "object",
    description: `${description} A JSON object, at most ${limits.jsonMetaBytesMax} bytes compact.`,
  });
}

/** Any value that JSON has. */
export function anyJson(description: string) {
  return Type.Unsafe<unknown>({ description, "x-any": true });
}

/** Not Type.Record: its pattern `^.*$` lets any value pass under a key that contains a newline. */
export function stringMap(description: string, propertiesMax?: number) {
  return Type.Unsafe<Record<string, string>>({
    type: "object",
    description,
    additionalProperties: { type: "string" },
    ...(propertiesMax === undefined ? {} : { maxProperties: propertiesMax }),
  });
}

/** Exactly one of `experimentId` and `experimentSlug`, and the event's other properties. */
export function experimentIdentity<Properties extends TProperties>(
  title: string,
  more: Properties,
) {
  return Type.Object(
    {
      experimentId: Type.Optional(reference("The experiment by its id.")),
      experimentSlug: Type.Optional(reference("The experiment by its slug.")),
      ...more,
    },
    {
      title,
      additionalProperties: false,
      oneOf: [{ required: ["experimentId"] }, { required: ["experimentSlug"] }],
    },
  );
}

/** Written so that RE2 and Rust's regex, used by generated clients, read it as JavaScript does. */
const control = "\\x00-\\x1f\\x7f-\\x9f";

/** Patterns, each with the message for a refused value; all match in linear time. */
export const patterns = {
  printableAscii: { pattern: "^[\\x20-\\x7e]*$", "x-rule": "must be printable ASCII" },
  folderName: {
    pattern: `^[^${control}]*[^\\s${control}][^${control}]*$`,
    "x-rule": "must have no control characters and not only spaces",
  },
  slug: {
    pattern: `^[^\\s${control}](?:[^${control}]*[^\\s${control}])?$`,
    "x-rule": "must have no control characters and no spaces at its ends",
  },
};

/** ISO 8601 in UTC with milliseconds and `Z` (A64). */
export function timestamp(description: string) {
  return Type.String({ description: `${description} ISO 8601, UTC, milliseconds.` });
}

/** A name for people: not unique, no control characters. */
export function label(description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: limits.labelCharactersMax,
    ...patterns.folderName,
  });
}

/** Objects of several kinds, distinguished by the fixed text of one property. */
export function variants<const Choices extends Record<string, TSchema>>(
  title: string,
  property: string,
  choices: Choices,
) {
  return Type.Unsafe<Type.Static<Choices[keyof Choices]>>({
    title,
    anyOf: Object.values(choices),
    discriminator: { propertyName: property },
  });
}

/** The words for a search for names in descriptions. */
export const nameSearch =
  "search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without " +
  "regard to case (docs/query.md)";
