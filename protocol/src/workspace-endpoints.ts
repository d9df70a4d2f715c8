import type { EndpointDefinition } from "./endpoint.ts";
import { savedErrors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import { keptChange, seenRow } from "./saved.ts";
import { reference } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, readErrors, removal, writeErrors } from "./v1-endpoint.ts";
import {
  SaveWorkspaceBody,
  Workspace,
  WorkspacesReply,
  WorkspaceVersionsReply,
} from "./workspace.ts";

const read = { ...extensionRead, errorForm: savedErrors } as const;
const written = {
  ...extension,
  errorForm: savedErrors,
  role: "viewer",
  errors: [...writeErrors, "conflict", "not_found"],
} as const;

/** Workspaces of charts: of a person or of the organization, everywhere or in a folder. */
export const workspaceEndpoints = {
  listWorkspaces: {
    ...read,
    path: "/api/views/v1/workspaces",
    summary: "Workspaces of charts: the caller's own, and the shared ones.",
    about: "An API key gets the shared ones.",
    reply: { kind: "json", status: 200, schema: WorkspacesReply },
  },
  readWorkspaces: {
    ...read,
    path: "/api/views/v1/workspace",
    summary: "The workspaces that apply to charts in a folder, the narrowest first.",
    about:
      "A person's own ones come before shared ones, and those of a folder, or of the nearest one " +
      "above it, before those of all folders.",
    query: Type.Object({
      folderId: Type.Optional(reference("The folder of the experiments; absent: none.")),
    }),
    reply: { kind: "json", status: 200, schema: WorkspacesReply },
    errors: [...readErrors, "not_found"],
  },
  listWorkspaceVersions: {
    ...read,
    path: "/api/views/v1/workspace/versions",
    summary: "What a workspace was, and who saved it so.",
    query: Type.Object({ id: reference("The workspace.") }),
    reply: { kind: "json", status: 200, schema: WorkspaceVersionsReply },
    errors: [...readErrors, "not_found"],
  },
  saveWorkspace: {
    ...written,
    ...keptChange,
    path: "/api/views/v1/workspace",
    summary: "Saves how charts are arranged.",
    about:
      "Only their author sees own ones, not even admins. Every member may change shared ones, a viewer own ones alone. " +
      keptChange.about,
    request: { kind: "json", schema: SaveWorkspaceBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: Workspace },
  },
  deleteWorkspace: {
    ...written,
    ...removal,
    path: "/api/views/v1/workspace",
    summary: "Deletes a workspace with its versions; a shared one by its author or an admin.",
    query: seenRow("The workspace."),
  },
} as const satisfies Record<string, EndpointDefinition>;
