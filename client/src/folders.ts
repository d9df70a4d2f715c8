import { EventError } from "./errors.ts";
import type { OrganizationEvents } from "./organization-events.ts";
import type { RetryPolicy } from "./retry.ts";
import { settledWrite } from "./settled-write.ts";
import type { Folder, FolderNode, FolderTree } from "./wire.ts";

/** Folders of the organization. A name is 1 to 200 characters and unique within its parent. */
export class Folders {
  readonly #events: OrganizationEvents;
  readonly #policy: RetryPolicy;

  constructor(events: OrganizationEvents, policy: RetryPolicy) {
    this.#events = events;
    this.#policy = policy;
  }

  /** `foldertree.read`: all folders and experiments. `result_too_large` over 100,000 of them. */
  tree(): Promise<FolderTree> {
    return this.#events.read("svc.v2.foldertree.read", {});
  }

  /**
   * `folder.create`; a `parentFolderId` of null makes a root folder. EventError
   * `folder_already_exists` has the folder's id in `details.folderId`; `folder_not_found` when the
   * parent is unknown. After a lost reply the tree is read, and the folder found there counts as
   * the new one.
   */
  async create(name: string, parentFolderId: string | null = null): Promise<Folder> {
    return settledWrite({
      event: "svc.v2.folder.create",
      policy: this.#policy,
      attempt: () => this.#events.single("svc.v2.folder.create", { name, parentFolderId }),
      settle: async () => {
        const siblings = foldersIn(await this.tree(), parentFolderId);
        const found = siblings.find((folder) => folder.name === name);
        return found && { folderId: found.folderId, name, parentFolderId };
      },
    });
  }

  /**
   * Returns the id of the folder at `path`, a list of names from the root; missing ones are
   * created.
   */
  async ensure(path: readonly string[]): Promise<string | null> {
    let folderId: string | null = null;
    for (const name of path) {
      try {
        folderId = (await this.create(name, folderId)).folderId;
      } catch (error) {
        if (!(error instanceof EventError && error.code === "folder_already_exists")) throw error;
        folderId = String(error.details["folderId"]);
      }
    }
    return folderId;
  }

  /** Extension `folder.update`: renames or moves; absent values stay. */
  async update(
    folderId: string,
    change: { name?: string; parentFolderId?: string | null },
  ): Promise<Folder> {
    return settledWrite({
      event: "svc.v2.folder.update",
      policy: this.#policy,
      attempt: () => this.#events.single("svc.v2.folder.update", { folderId, ...change }),
      settle: async () => {
        const found = findFolder((await this.tree()).folders, folderId);
        if (found === undefined) return undefined;
        const { name, parentFolderId } = found;
        const isChanged = Object.entries(change).every(
          ([key, value]) => found[key as keyof FolderNode] === value,
        );
        return isChanged ? { folderId, name, parentFolderId } : undefined;
      },
    });
  }

  /** Extension `folder.delete`. EventError `folder_not_empty`, `folder_not_found`. */
  async delete(folderId: string): Promise<void> {
    await settledWrite({
      event: "svc.v2.folder.delete",
      policy: this.#policy,
      attempt: () => this.#events.single("svc.v2.folder.delete", { folderId }),
      settle: async () => {
        const found = findFolder((await this.tree()).folders, folderId);
        return found === undefined ? { folderId } : undefined;
      },
    });
  }
}

/** Finds the folder with this id at any depth, without recursion. */
export function findFolder(
  folders: readonly FolderNode[],
  folderId: string,
): FolderNode | undefined {
  for (const folder of folders) {
    const found = folder.folderId === folderId ? folder : findFolder(folder.folders, folderId);
    if (found !== undefined) return found;
  }
  return undefined;
}

function foldersIn(tree: FolderTree, parentFolderId: string | null): FolderNode[] {
  if (parentFolderId === null) return tree.folders;
  return findFolder(tree.folders, parentFolderId)?.folders ?? [];
}
