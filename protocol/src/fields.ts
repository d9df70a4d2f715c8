import { limits } from "./limits.ts";
import { assignedId, closedObject, count, nameSearch, nullable } from "./schema.ts";
import * as Type from "./type.ts";

/** Fields of an organization's experiments: names of meta and metrics, values, folders. */

export const FieldsBody = closedObject("FieldsBody", {
  text: Type.Optional(
    Type.String({
      description:
        `Only names, or values, that fit this ${nameSearch}; those that begin with it come first. Names are compared ` +
        "with and without `meta.` and `metric.` before them. Left out: all.",
      maxLength: limits.patternCharactersMax,
    }),
  ),
  field: Type.Optional(
    Type.String({
      description:
        "List the values of this field: of meta, or of name, tag, group, commit, folder or artifact.",
      maxLength: limits.queryCharactersMax,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: `Left out: ${limits.fieldsReturnedMax}.`,
      minimum: 1,
      maximum: limits.fieldsReturnedMax,
    }),
  ),
  near: Type.Optional(
    Type.Boolean({ description: "True: if no name fits, also those that the text may mean." }),
  ),
});
export type FieldsBody = Type.Static<typeof FieldsBody>;

export const FieldsReply = closedObject("FieldsReply", {
  fields: Type.Array(
    closedObject("KnownField", {
      field: Type.String({ description: "In the language's spelling." }),
      experiments: count(
        `Number of experiments that have it, counted up to ${limits.fieldExperimentsMax}.`,
      ),
      isMinimum: Type.Boolean({ description: "More than `experiments` may have it." }),
    }),
    { description: "Empty when the values of a field are asked for." },
  ),
  values: Type.Array(
    closedObject("KnownValue", {
      value: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]),
      text: Type.String({ description: "The value in the language's spelling." }),
      experiments: count("How many have it."),
      isMinimum: Type.Boolean({ description: "More than `experiments` may have it." }),
    }),
    {
      description:
        `Values of the field, the most common first. For a field of meta, at most ` +
        `${limits.fieldValuesCountedMax} values that contain the text are read, those of the newest experiments.`,
    },
  ),
  isWhole: Type.Boolean({ description: "True: there are no others." }),
  near: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Fields that the text may mean, the nearest first, at most three; left out unless asked for.",
    }),
  ),
});
export type FieldsReply = Type.Static<typeof FieldsReply>;

export const FoldersReply = closedObject("FoldersReply", {
  folders: Type.Array(
    closedObject("CountedFolder", {
      folderId: assignedId("The folder."),
      parentFolderId: nullable(assignedId("Its parent folder; null: the root.")),
      name: Type.String(),
      experiments: count("In the folder itself."),
      experimentsBelow: count("In it and in all folders below it."),
    }),
    { description: "Bytewise by name." },
  ),
  experiments: count("Of the organization."),
  experimentsAtRoot: count("In no folder."),
});
export type FoldersReply = Type.Static<typeof FoldersReply>;
