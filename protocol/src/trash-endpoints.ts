import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { reference } from "./schema.ts";
import {
  DeletedOrganization,
  DeletedOrganizationsReply,
  FreeSlugBody,
  OrganizationContents,
  RestoreOrganizationBody,
  TrashExperimentsBody,
  TrashFolderBody,
  TrashFolderReply,
  TrashIdsBody,
  TrashListReply,
  TrashOrganizationBody,
  TrashReply,
  TrashSeriesBody,
  TrashSettings,
  TrashVersionsBody,
} from "./trash.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, writeErrors } from "./v1-endpoint.ts";

const bytesMax = limits.setupBodyBytesMax;

/** The trash: deleting, restoring and purging. */
export const trashEndpoints = {
  trashExperiments: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/experiments",
    summary: "Moves experiments to the trash.",
    about:
      "All or none. No list and no read shows them any more, their tokens end, and their slugs stay taken. What is in " +
      "the trash already stays as it is. Nothing is freed before the purge.",
    request: { kind: "json", schema: TrashExperimentsBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TrashReply },
    errors: [...writeErrors, "not_found"],
  },
  trashSeries: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/series",
    summary: "Moves series of an experiment to the trash.",
    about:
      "All or none, each with all its partitions. No read shows them any more, and points for them are refused with " +
      "`series_deleted`, until they are restored or purged. What is in the trash already stays as it is.",
    request: { kind: "json", schema: TrashSeriesBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TrashReply },
    errors: [...writeErrors, "not_found"],
  },
  trashFolder: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/folders",
    summary: "Deletes a folder with all folders and experiments in it.",
    about:
      "Its experiments go to the trash, which remembers their folders: restoring one makes its folders again. " +
      "If the request was interrupted, a part may be done; repeat it.",
    request: { kind: "json", schema: TrashFolderBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TrashFolderReply },
    errors: [...writeErrors, "not_found"],
  },
  trashVersions: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/versions",
    summary: "Moves versions of an artifact to the trash.",
    about:
      "All or none. No list and no read shows them any more; the artifact keeps its epoch, and their names are not used again. " +
      "Addresses that were signed for their files stay good for their hour: no file is removed before.",
    request: { kind: "json", schema: TrashVersionsBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TrashReply },
    errors: [...writeErrors, "not_found"],
  },
  listTrash: {
    ...extensionRead,
    path: "/api/trash/v1/entries",
    summary: "Entries of the trash, and entries being purged.",
    query: Type.Object({
      before: Type.Optional(reference("`next` of the page before.")),
    }),
    reply: { kind: "json", status: 200, schema: TrashListReply },
  },
  restoreTrash: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/restore",
    summary: "Restores entries of the trash.",
    about:
      "All or none. Missing folders are made again. A writer gets a token by opening the slug.",
    request: { kind: "json", schema: TrashIdsBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TrashReply },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  purgeTrash: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/purge",
    summary: "Removes entries of the trash for good, now.",
    about: "They can no longer be restored; their space is free a little later.",
    role: "admin",
    request: { kind: "json", schema: TrashIdsBody, bytesMax },
    reply: { kind: "json", status: 200, schema: TrashReply },
    errors: [...writeErrors, "not_found"],
  },
  readTrashSettings: {
    ...extensionRead,
    path: "/api/trash/v1/settings",
    summary: "How long deleted entries can be restored.",
    reply: { kind: "json", status: 200, schema: TrashSettings },
  },
  setTrashSettings: {
    ...extension,
    method: "PUT",
    path: "/api/trash/v1/settings",
    summary: "Sets how long entries deleted from now on can be restored.",
    role: "admin",
    request: { kind: "json", schema: TrashSettings, bytesMax },
    reply: { kind: "json", status: 200, schema: TrashSettings },
    errors: writeErrors,
  },
  readOrganizationContents: {
    ...extensionRead,
    path: "/api/trash/v1/organization",
    summary: "What is deleted with the organization.",
    about: "Nothing is changed. `lossless export organization DIR` keeps a copy.",
    role: "owner",
    reply: { kind: "json", status: 200, schema: OrganizationContents },
  },
  trashOrganization: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/organization",
    summary: "Moves the organization to the trash.",
    about:
      "From then on every key, session, token and provider of it is refused with 401, and nothing is recorded. Nothing " +
      "is freed before the purge, and its name stays taken.",
    role: "owner",
    request: { kind: "json", schema: TrashOrganizationBody, bytesMax },
    reply: { kind: "json", status: 200, schema: DeletedOrganization },
    errors: [...writeErrors, "conflict"],
  },
  listDeletedOrganizations: {
    ...extensionRead,
    path: "/api/trash/v1/organizations",
    summary: "The deleted organizations of which the person is an owner.",
    credentials: ["session", "oauth"],
    personal: true,
    reply: { kind: "json", status: 200, schema: DeletedOrganizationsReply },
  },
  restoreOrganization: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/organizations",
    summary: "Restores a deleted organization as it was.",
    about: "It needs a person who is an owner of it.",
    credentials: ["session", "oauth"],
    personal: true,
    request: { kind: "json", schema: RestoreOrganizationBody, bytesMax },
    reply: { kind: "json", status: 200, schema: DeletedOrganization },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  freeSlug: {
    ...extension,
    method: "POST",
    path: "/api/trash/v1/slugs",
    summary: "Lets another experiment be recorded under the slug of one that was purged.",
    about:
      "Writers of the purged experiment must have stopped: their points would go to the other experiment.",
    role: "admin",
    request: { kind: "json", schema: FreeSlugBody, bytesMax },
    reply: { kind: "empty", status: 204 },
    errors: [...writeErrors, "not_found", "conflict"],
  },
} as const satisfies Record<string, EndpointDefinition>;
