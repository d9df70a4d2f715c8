/** JSON Schema as plain JSON, in which form it leaves this package. */
export interface JsonSchema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  [keyword: string]: unknown;
}

const prefix = "#/components/schemas/";

/**
 * Collects schemas by title, so that each is described once and has the same name in the OpenAPI
 * document and in the client's types.
 */
export class Components {
  readonly schemas = new Map<string, JsonSchema>();

  /**
   * Returns the schema as a reference (titled), or as plain JSON whose titled parts are references.
   */
  add(schema: object): JsonSchema {
    return this.#hoist(JSON.parse(JSON.stringify(schema)) as JsonSchema);
  }

  #hoist(schema: JsonSchema): JsonSchema {
    const {
      $defs,
      $id: _,
      title,
      ...plain
    } = schema as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    for (const definition of Object.values($defs ?? {})) this.#hoist(definition);
    if (plain.$ref !== undefined) return { $ref: `${prefix}${plain.$ref.replace(prefix, "")}` };
    const inner = this.#hoistParts(plain);
    if (title === undefined) return inner;
    const known = this.schemas.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inner)) {
      throw new Error(`BUG: two schemas have one title, got ${title}`);
    }
    this.schemas.set(title, inner);
    return { $ref: prefix + title };
  }

  #hoistParts(schema: JsonSchema): JsonSchema {
    const result = { ...schema };
    if (schema.properties !== undefined) {
      result.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([key, value]) => [key, this.#hoist(value)]),
      );
    }
    if (schema.items !== undefined) result.items = this.#hoist(schema.items);
    if (schema.anyOf !== undefined) result.anyOf = schema.anyOf.map((one) => this.#hoist(one));
    if (typeof schema.additionalProperties === "object") {
      result.additionalProperties = this.#hoist(schema.additionalProperties);
    }
    return result;
  }
}

export function componentName(reference: string): string {
  return reference.slice(prefix.length);
}
