import * as Type from "./type.ts";
import { limits } from "./limits.ts";
import { ExperimentNode } from "./experiment.ts";
import { assignedId, closedObject, nullable, patterns, reference } from "./schema.ts";

const folderName = Type.String({
  description: "Unique within the parent folder; compared exactly, stored as sent.",
  minLength: 1,
  maxLength: limits.folderNameCharactersMax,
  ...patterns.folderName,
});
const parentFolderId = nullable(reference("The parent folder; null: the root."));

export const FolderCreateData = closedObject("FolderCreateData", {
  name: folderName,
  parentFolderId,
});

/** At least one of name and parentFolderId; an absent field leaves its value unchanged. */
export const FolderUpdateData = Type.Object(
  {
    folderId: reference("The folder to change."),
    name: Type.Optional(folderName),
    parentFolderId: Type.Optional(parentFolderId),
  },
  {
    title: "FolderUpdateData",
    description: "Renames or moves a folder; a field that is left out stays as it is.",
    additionalProperties: false,
    minProperties: 2,
    "x-rule": "must have at least one of name and parentFolderId",
  },
);

export const FolderDeleteData = closedObject("FolderDeleteData", {
  folderId: reference("The folder to delete; it must be empty."),
});

export const Folder = closedObject("Folder", {
  folderId: assignedId("Assigned by the service."),
  name: Type.String(),
  parentFolderId: nullable(assignedId("null: a root folder.")),
});
export type Folder = Type.Static<typeof Folder>;

export const FolderDeletedData = closedObject("FolderDeletedData", {
  folderId: assignedId("The folder that is gone."),
});

export const FolderNode = Type.Cyclic(
  {
    FolderNode: closedObject("FolderNode", {
      folderId: assignedId("Assigned by the service."),
      name: Type.String(),
      parentFolderId: nullable(assignedId("null: a root folder.")),
      folders: Type.Array(Type.Ref("FolderNode"), { description: "Ordered by name, bytewise." }),
      experiments: Type.Array(ExperimentNode, { description: "Ordered by slug, bytewise." }),
    }),
  },
  "FolderNode",
);
export type FolderNode = Type.Static<typeof FolderNode>;

export const FolderTreeReadData = closedObject("FolderTreeReadData", {});

export const FolderTree = closedObject("FolderTree", {
  folders: Type.Array(FolderNode, { description: "Root folders, ordered by name, bytewise." }),
  experiments: Type.Array(ExperimentNode, {
    description: "Experiments without a folder, ordered by slug, bytewise.",
  }),
});
export type FolderTree = Type.Static<typeof FolderTree>;
