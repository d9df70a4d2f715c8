import { endpoints } from "./endpoints.ts";
import type { SeenSaved } from "./saved-views.ts";
import type { V1Calls } from "./v1-calls.ts";
import type { SaveWorkspaceBody, Workspace, WorkspaceVersionsReply } from "./wire.ts";

/**
 * Workspaces: how charts are arranged, for a person or all members, everywhere or in a folder.
 * Changes based on an old revision are refused: SavedConflictError.
 */
export class Workspaces {
  readonly #calls: V1Calls;

  constructor(calls: V1Calls) {
    this.#calls = calls;
  }

  /** Lists one's own and the shared ones. */
  async list(): Promise<Workspace[]> {
    return (await this.#calls.json(endpoints.listWorkspaces, { repeatable: true })).workspaces;
  }

  /** Reads those that apply to charts in a folder, the narrowest first. */
  async of(folderId: string | null, signal?: AbortSignal): Promise<Workspace[]> {
    const query = folderId === null ? {} : { folderId };
    const call = { query, repeatable: true, ...(signal && { signal }) };
    return (await this.#calls.json(endpoints.readWorkspaces, call)).workspaces;
  }

  /** Reads what a workspace was, the newest first. */
  async versions(id: string): Promise<WorkspaceVersionsReply["versions"]> {
    const call = { query: { id }, repeatable: true };
    return (await this.#calls.json(endpoints.listWorkspaceVersions, call)).versions;
  }

  /** Saves a layout over the revision that was seen; 0: there was none. */
  save(body: SaveWorkspaceBody): Promise<Workspace> {
    return this.#calls.json(endpoints.saveWorkspace, { body, repeatable: false });
  }

  async delete({ id, revision }: SeenSaved): Promise<void> {
    const query = { id, revision: String(revision) };
    await this.#calls.reply(endpoints.deleteWorkspace, { query, repeatable: false });
  }
}
