import type { JsonSchema } from "./components.ts";

const prefix = "#/components/schemas/";

/**
 * Rewrites schemas for generators of clients in compiled languages: the same values, in keywords
 * that all of them know. Integers are 64-bit and numbers doubles, where a generator would take 32
 * bits; fixed texts become named enumerations; patterns have no look-ahead.
 *
 * `x-name` names an enumeration, `x-portable-pattern` is the pattern without a look-ahead. Returns
 * the components, with the named enumerations added.
 */
export function portable(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const named: Record<string, JsonSchema> = {};
  const write = (schema: JsonSchema): JsonSchema => {
    const { "x-name": name, ...rest } = mapParts(portableKeywords(schema), write);
    if (typeof name !== "string") return rest;
    const { description, ...alone } = rest;
    const known = named[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(alone)) {
      throw new Error(`BUG: two enumerations have one name, got ${name}`);
    }
    named[name] = alone;
    return {
      $ref: `${prefix}${name}`,
      ...(description === undefined ? {} : { description }),
    };
  };
  const components = Object.entries(schemas).map(
    ([name, schema]) => [name, write(schema)] as const,
  );
  const clash = Object.keys(named).find((name) => name in schemas);
  if (clash !== undefined)
    throw new Error(`BUG: a schema has the name of an enumeration: ${clash}`);
  return Object.fromEntries([...components, ...Object.entries(named)].sort(byName));
}

/** Rewrites a schema that is no component; its enumerations were named already. */
export function portableInline(schema: JsonSchema): JsonSchema {
  const { "x-name": _, ...rest } = mapParts(portableKeywords(schema), portableInline);
  return rest;
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function portableKeywords(schema: JsonSchema): JsonSchema {
  const { const: fixed, "x-portable-pattern": pattern, anyOf, discriminator, ...rest } = schema;
  // With a discriminator at most one choice fits, so anyOf becomes oneOf.
  return {
    ...rest,
    ...(anyOf === undefined ? {} : { [discriminator === undefined ? "anyOf" : "oneOf"]: anyOf }),
    ...(rest.type === "integer" ? { format: "int64" } : {}),
    ...(rest.type === "number" ? { format: "double" } : {}),
    ...(pattern === undefined ? {} : { pattern }),
    ...fixedValue(fixed, rest.description),
  };
}

/** A boolean constant is described in words: most languages have no type for its enumeration. */
function fixedValue(fixed: unknown, description: string | undefined): JsonSchema {
  if (fixed === undefined) return {};
  if (typeof fixed === "string") return { type: "string", enum: [fixed] };
  return { type: "boolean", description: `${description ?? ""} Only ${fixed === true}.`.trim() };
}

function mapParts(schema: JsonSchema, map: (part: JsonSchema) => JsonSchema): JsonSchema {
  const result = { ...schema };
  if (schema.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, part]) => [name, map(part)]),
    );
  }
  if (schema.items !== undefined) result.items = map(schema.items);
  if (schema.anyOf !== undefined) result.anyOf = schema.anyOf.map(map);
  if (schema.oneOf?.some((one) => one.$ref === undefined && one.required === undefined) === true) {
    result.oneOf = schema.oneOf.map(map);
  }
  if (typeof schema.additionalProperties === "object") {
    result.additionalProperties = map(schema.additionalProperties);
  }
  return result;
}
