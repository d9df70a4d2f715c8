import type { Layout, Workspace } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Workspace as StoredWorkspace } from "../../experiments/saved/workspaces.ts";
import { ServiceError } from "../../ground/errors.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Endpoints for workspaces, the arrangements of charts. */
export const workspaces = endpointRoutes({
  async listWorkspaces({ caller: { organizationId, personId }, served }) {
    const found = await served.storage.read("workspace.list", { organizationId, personId });
    return { workspaces: found.map(workspaceOf) };
  },

  async readWorkspaces({ caller: { organizationId, personId }, query: { folderId }, served }) {
    const looking = { organizationId, personId, folderId: folderId ?? null };
    const found = await served.storage.read("workspace.applying", looking);
    return { workspaces: found.map(workspaceOf) };
  },

  async listWorkspaceVersions({ caller: { organizationId, personId }, query: { id }, served }) {
    const looking = { organizationId, personId, id };
    const found = await served.storage.read("workspace.versions", looking);
    const versions = found.map(({ content, ...version }) => ({
      ...version,
      layout: JSON.parse(content) as Layout,
    }));
    return { versions };
  },

  async saveWorkspace({ caller: { organizationId, by }, body, served }) {
    const { scope, folderId = null, revision, layout } = body;
    const input = { organizationId, by, scope, folderId, revision, content: contentOf(layout) };
    return workspaceOf(await writeOne(served.storage, "workspace.save", input));
  },

  async deleteWorkspace({ caller: { organizationId, by }, query: { id, revision }, served }) {
    const input = { organizationId, by, id, revision: Number(revision) };
    await writeOne(served.storage, "workspace.delete", input);
  },
});

function workspaceOf({ id, scope, folderId, revision, ...stored }: StoredWorkspace): Workspace {
  const { createdAtMs, createdBy, changedAtMs, changedBy, content } = stored;
  const facts = { id, scope, folderId, revision, createdAtMs, createdBy, changedAtMs, changedBy };
  return { ...facts, layout: JSON.parse(content) as Layout };
}

/** The stored text of a layout; throws `bad_request` for one that is too long. */
function contentOf(layout: Layout): string {
  const content = JSON.stringify(layout);
  const bytes = Buffer.byteLength(content);
  if (bytes <= limits.layoutBytesMax) return content;
  const most = limits.layoutBytesMax.toLocaleString("en");
  throw new ServiceError(
    "bad_request",
    `The layout has ${bytes.toLocaleString("en")} bytes, at most ${most} are taken.`,
  );
}
