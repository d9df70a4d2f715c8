import type * as TypeBox from "typebox";

export type { Static } from "typebox";

/**
 * Builders of schemas with TypeBox's types, producing plain JSON Schema. TypeBox's own builders are
 * 370 modules, which every start of the service and its threads would load.
 */
export {
  array as Array,
  boolean as Boolean,
  cyclic as Cyclic,
  integer as Integer,
  literal as Literal,
  nothing as Null,
  number as Number,
  object as Object,
  optional as Optional,
  reference as Ref,
  string as String,
  union as Union,
  unsafe as Unsafe,
};

const array = as<typeof TypeBox.Array>((items: object, options?: object) => ({
  type: "array",
  items,
  ...options,
}));
const boolean = as<typeof TypeBox.Boolean>(typed("boolean"));
const integer = as<typeof TypeBox.Integer>(typed("integer"));
const nothing = as<typeof TypeBox.Null>(typed("null"));
const number = as<typeof TypeBox.Number>(typed("number"));
const string = as<typeof TypeBox.String>(typed("string"));
const literal = as<typeof TypeBox.Literal>((value: unknown, options?: object) => ({
  type: typeof value,
  const: value,
  ...options,
}));
const object = as<typeof TypeBox.Object>((properties: Record<string, object>, options?: object) => {
  const required = Object.keys(properties).filter((name) => !(isOptional in properties[name]));
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties,
    ...options,
  };
});
const union = as<typeof TypeBox.Union>((anyOf: object[], options?: object) => ({
  anyOf,
  ...options,
}));
/** A recursive schema: it refers to itself by `$ref`, and `name` is that of its definition. */
const cyclic = as<typeof TypeBox.Cyclic>(
  (definitions: Record<string, object>, name: string, options?: object) => ({
    $defs: Object.fromEntries(
      Object.entries(definitions).map(([$id, definition]) => [$id, { ...definition, $id }]),
    ),
    $ref: name,
    ...options,
  }),
);
const reference = as<typeof TypeBox.Ref>(($ref: string, options?: object) => ({
  $ref,
  ...options,
}));
/** Any JSON Schema, with its type given by the caller. */
const unsafe = as<typeof TypeBox.Unsafe>((schema: object) => ({ ...schema }));
/** Marks a property as optional for the enclosing object; the mark appears in no document. */
const optional = as<typeof TypeBox.Optional>((schema: object) =>
  Object.defineProperty({ ...schema }, isOptional, { value: true }),
);

const isOptional = Symbol("optional");

function typed(type: string) {
  return (options?: object) => ({ type, ...options });
}

function as<Builder>(build: (...given: never[]) => object): Builder {
  return build as Builder;
}
