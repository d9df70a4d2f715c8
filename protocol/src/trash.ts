import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  count,
  milliseconds,
  nullable,
  oneOfStrings,
  reference,
  text,
} from "./schema.ts";
import * as Type from "./type.ts";

/** Deleted entries, restorable for a time. */

export const TrashEntry = closedObject("TrashEntry", {
  id: assignedId("Of the entry; restoring and purging name it."),
  kind: oneOfStrings("TrashKind", ["experiment", "version", "series"]),
  subject: Type.String({
    description: "The experiment's id, also for a series, or the id of the version's upload.",
  }),
  name: Type.String({
    description: "The experiment's slug, also of a series, or the artifact of the version.",
  }),
  experimentName: nullable(
    Type.String({
      description:
        "The name in lists of the experiment, also for a series, if it is not the slug; otherwise null.",
    }),
  ),
  version: nullable(Type.String({ description: "The version; null: it is not a version." })),
  series: nullable(Type.String({ description: "The series' name; null: it is not a series." })),
  folder: Type.Array(Type.String(), {
    description: "Names of its folders, from the root down; empty: the root.",
  }),
  points: count("Its number of points; approximate for a series."),
  bytes: count("Approximate bytes of points or files that a purge frees."),
  trashedBy: Type.String({ description: "E-mail of the person, or the key's name." }),
  trashedAtMs: milliseconds("When it was deleted."),
  purgeAtMs: milliseconds("When it is removed for good."),
  isPurging: Type.Boolean({ description: "It is being removed and can no longer be restored." }),
});
export type TrashEntry = Type.Static<typeof TrashEntry>;

export const TrashReply = closedObject("TrashReply", {
  entries: Type.Array(TrashEntry),
});
export type TrashReply = Type.Static<typeof TrashReply>;

export const TrashListReply = closedObject("TrashListReply", {
  entries: Type.Array(TrashEntry, { description: "Newest first." }),
  next: nullable(
    Type.String({ description: "`before` of the next page; null: this is the last." }),
  ),
});
export type TrashListReply = Type.Static<typeof TrashListReply>;

export const TrashExperimentsBody = closedObject("TrashExperimentsBody", {
  experimentIds: Type.Array(reference("The experiment by its id."), {
    minItems: 1,
    maxItems: limits.trashedAtOnceMax,
  }),
});
export type TrashExperimentsBody = Type.Static<typeof TrashExperimentsBody>;

export const TrashSeriesBody = closedObject("TrashSeriesBody", {
  experimentId: reference("The experiment by its id."),
  seriesNames: Type.Array(reference("The series by its name."), {
    minItems: 1,
    maxItems: limits.trashedAtOnceMax,
  }),
});
export type TrashSeriesBody = Type.Static<typeof TrashSeriesBody>;

export const TrashVersionsBody = closedObject("TrashVersionsBody", {
  artifact: reference("The artifact."),
  versions: Type.Array(reference("The version by its name."), {
    minItems: 1,
    maxItems: limits.trashedAtOnceMax,
  }),
});
export type TrashVersionsBody = Type.Static<typeof TrashVersionsBody>;

export const TrashFolderBody = closedObject("TrashFolderBody", {
  folderId: reference("The folder."),
});
export type TrashFolderBody = Type.Static<typeof TrashFolderBody>;

export const TrashFolderReply = closedObject("TrashFolderReply", {
  experiments: count("Experiments that are in the trash now."),
  folders: count("Folders that are gone: it and all below it."),
});
export type TrashFolderReply = Type.Static<typeof TrashFolderReply>;

export const TrashIdsBody = closedObject("TrashIdsBody", {
  ids: Type.Array(reference("The entry of the trash."), {
    minItems: 1,
    maxItems: limits.trashedAtOnceMax,
  }),
});
export type TrashIdsBody = Type.Static<typeof TrashIdsBody>;

export const TrashSettings = closedObject("TrashSettings", {
  days: Type.Integer({
    description: "How long entries deleted from now on can be restored.",
    minimum: 1,
    maximum: limits.trashDaysMax,
  }),
});
export type TrashSettings = Type.Static<typeof TrashSettings>;

export const FreeSlugBody = closedObject("FreeSlugBody", {
  slug: text(1, limits.slugCharactersMax, "Of an experiment that was purged."),
});
export type FreeSlugBody = Type.Static<typeof FreeSlugBody>;

export const OrganizationContents = closedObject("OrganizationContents", {
  name: Type.String({ description: "The organization's name." }),
  experiments: count("Experiments, those in its trash included."),
  points: count("Their points."),
  artifacts: count("Artifacts."),
  versions: count("Their versions."),
  artifactBytes: count("Bytes of these versions' files."),
  buckets: count("Buckets of its own in which files may be; the buckets themselves stay."),
  people: count("Members; one without another organization stays a person without any."),
  apiKeys: count("API keys that are good now."),
});
export type OrganizationContents = Type.Static<typeof OrganizationContents>;

export const TrashOrganizationBody = closedObject("TrashOrganizationBody", {
  name: reference("The organization's name, typed once more to be sure."),
});
export type TrashOrganizationBody = Type.Static<typeof TrashOrganizationBody>;

export const DeletedOrganization = closedObject("DeletedOrganization", {
  id: assignedId("The organization."),
  name: Type.String(),
  trashedAtMs: milliseconds("When it was deleted."),
  purgeAtMs: milliseconds("When it is removed for good."),
  isPurging: Type.Boolean({ description: "It is being removed and can no longer be restored." }),
});
export type DeletedOrganization = Type.Static<typeof DeletedOrganization>;

export const DeletedOrganizationsReply = closedObject("DeletedOrganizationsReply", {
  organizations: Type.Array(DeletedOrganization, {
    description: "Deleted organizations of which the person is an owner, by name.",
  }),
});
export type DeletedOrganizationsReply = Type.Static<typeof DeletedOrganizationsReply>;

export const RestoreOrganizationBody = closedObject("RestoreOrganizationBody", {
  organizationId: reference("One that is in the trash."),
});
export type RestoreOrganizationBody = Type.Static<typeof RestoreOrganizationBody>;
