import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  count,
  label,
  milliseconds,
  nullable,
  oneOfStrings,
  reference,
} from "./schema.ts";
import { queryParameter } from "./table.ts";
import * as Type from "./type.ts";

/** The owner of a saved item: a person, or the organization. */

export const savedScope = oneOfStrings("SavedScope", ["own", "shared"]);

/** Fields common to everything that is saved. */
export const savedFacts = {
  id: assignedId("Assigned by the service."),
  name: Type.String({
    description: "No other one of the same kind of the person, or of the organization, has it.",
  }),
  scope: savedScope,
  revision: count("Grows with every change; a change names the one that was seen."),
  createdAtMs: milliseconds("When it was saved first."),
  createdBy: Type.String({ description: "E-mail of the person." }),
  changedAtMs: milliseconds("When it was changed last."),
  changedBy: Type.String({ description: "E-mail of the person." }),
};

export const savedName = label("No other one of the person, or of the organization, has it.");
export const seenRevision = count("The revision that was seen: with another one nothing changes.");

/** Endpoints that change what is kept under a name. */
export const keptChange = {
  method: "PUT",
  about: "409 has the current state if it was changed since it was read.",
} as const;
export const seenRow = (description: string) =>
  Type.Object({
    id: reference(description),
    revision: Type.String({
      description: "The revision that was seen.",
      pattern: "^\\d{1,15}$",
      "x-rule": "must be a whole number",
    }),
  });

/** Body of a conflict: the revision that stands there now. */
export const PresentRevision = closedObject("PresentRevision", {
  revision: savedFacts.revision,
  name: savedFacts.name,
  changedAtMs: savedFacts.changedAtMs,
  changedBy: savedFacts.changedBy,
});
export type PresentRevision = Type.Static<typeof PresentRevision>;

const address = {
  maxLength: limits.savedAddressCharactersMax,
  pattern: "^/[a-z][\\x21\\x22\\x24-\\x5b\\x5d-\\x7e]*$",
  "x-rule": "must be the path of a page with its query: printable ASCII without # and \\",
};

export const SavedView = closedObject("SavedView", {
  ...savedFacts,
  address: Type.String({ description: "Path of a page, and its query, as its address has them." }),
  table: nullable(
    closedObject(
      "SavedTable",
      {
        query: queryParameter("Which experiments; empty: all."),
        folderId: nullable(Type.String()),
        sort: Type.Array(
          closedObject("SavedSort", { field: Type.String(), descending: Type.Boolean() }),
        ),
        columns: Type.Array(Type.String(), { description: "Empty: the page chooses." }),
      },
      {
        description: "The table of experiments at this address; null: another page.",
      },
    ),
  ),
});
export type SavedView = Type.Static<typeof SavedView>;

export const SavedViewsReply = closedObject("SavedViewsReply", {
  views: Type.Array(SavedView, { description: "One's own and the organization's, by name." }),
});
export type SavedViewsReply = Type.Static<typeof SavedViewsReply>;

const viewAddress = Type.String({
  description: "Path of a page, and its query, as its address has them.",
  ...address,
});

export const CreateSavedViewBody = closedObject("CreateSavedViewBody", {
  name: savedName,
  scope: savedScope,
  address: viewAddress,
});
export type CreateSavedViewBody = Type.Static<typeof CreateSavedViewBody>;

export const ChangeSavedViewBody = closedObject("ChangeSavedViewBody", {
  revision: seenRevision,
  name: Type.Optional(savedName),
  scope: Type.Optional(savedScope),
  address: Type.Optional(viewAddress),
});
export type ChangeSavedViewBody = Type.Static<typeof ChangeSavedViewBody>;
