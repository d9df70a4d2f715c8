import { limits } from "./limits.ts";
import { closedObject, oneOfStrings } from "./schema.ts";
import * as Type from "./type.ts";

/** The keys of groups of experiments, and their values. */

export const GroupValue = closedObject(
  "GroupValue",
  {
    kind: oneOfStrings(undefined, ["none", "null", "boolean", "number", "text", "list", "object"]),
    text: Type.String({
      description:
        "A text itself, a folder's path, other values as JSON; as in the table, of at most 256 bytes. Empty for " +
        "`none`: it lacks the key.",
    }),
  },
  { description: "The value of a key that the members of a group have in common." },
);
export type GroupValue = Type.Static<typeof GroupValue>;

/** The fields by which experiments are grouped. */
export const groupFields = Type.Array(
  Type.String({
    description: "A field in the language's spelling.",
    minLength: 1,
    maxLength: limits.queryCharactersMax,
  }),
  {
    description:
      "Fields of meta, or slug, id, name, status, state, attempts, folder, tag, group, commit, description or " +
      "error. Lists, tags included, are compared as wholes. None: all experiments are one group.",
    maxItems: limits.groupKeysMax,
  },
);

export const groupValues = Type.Array(GroupValue, {
  description: "One for each key, in the order of the request.",
});

/** One group of a table, as `experiment-groups` returns it. */
export const TableGroup = closedObject("TableGroup", { by: groupFields, values: groupValues });
export type TableGroup = Type.Static<typeof TableGroup>;
