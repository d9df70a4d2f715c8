import type { FoldersReply } from "@lossless/protocol";

export type CountedFolder = FoldersReply["folders"][number];

/** A folder in the tree. */
export interface FolderLine extends CountedFolder {
  /** 1 for a root folder. */
  level: number;
  hasFolders: boolean;
  isOpen: boolean;
}

/** The folders of an organization as a tree. */
export class Folders {
  readonly #byId: ReadonlyMap<string, CountedFolder>;
  readonly #below: ReadonlyMap<string | null, readonly CountedFolder[]>;

  constructor(folders: readonly CountedFolder[]) {
    this.#byId = new Map(folders.map((folder) => [folder.folderId, folder]));
    this.#below = Map.groupBy(folders, ({ parentFolderId }) => parentFolderId);
  }

  /** The visible lines when these folders are open, in the order of the tree. */
  lines(open: ReadonlySet<string>): FolderLine[] {
    const lines: FolderLine[] = [];
    const walk = (parent: string | null, level: number): void => {
      for (const folder of this.#below.get(parent) ?? []) {
        const hasFolders = this.#below.has(folder.folderId);
        const isOpen = hasFolders && open.has(folder.folderId);
        lines.push({ ...folder, level, hasFolders, isOpen });
        if (isOpen) walk(folder.folderId, level + 1);
      }
    };
    walk(null, 1);
    return lines;
  }

  /** The folders from the root to this one; none for an unknown id. */
  way(folderId: string | null): CountedFolder[] {
    const folder = folderId === null ? undefined : this.#byId.get(folderId);
    return folder === undefined ? [] : [...this.way(folder.parentFolderId), folder];
  }

  /** Number of folders below one, at any depth. */
  below(folderId: string): number {
    const inIt = this.#below.get(folderId) ?? [];
    return inIt.reduce((sum, folder) => sum + 1 + this.below(folder.folderId), 0);
  }

  /** Names from the root, joined by slashes. */
  path(folderId: string | null): string {
    return this.way(folderId)
      .map(({ name }) => name)
      .join("/");
  }

  /** The only folder of this path, or of this name, for addresses that people write. */
  named(text: string): string | undefined {
    const all = [...this.#byId.values()];
    const ofPath = all.filter(({ folderId }) => this.path(folderId) === text);
    const meant = ofPath.length > 0 ? ofPath : all.filter(({ name }) => name === text);
    return meant.length === 1 ? meant[0].folderId : undefined;
  }

  /** Whether a folder is the other one or below it, so that the other cannot be moved there. */
  isWithin(folderId: string | null, other: string): boolean {
    return this.way(folderId).some((folder) => folder.folderId === other);
  }

  /** At most `most` folders whose path contains the text, ignoring case, shallow ones first. */
  found(text: string, most: number): { folderId: string; path: string }[] {
    const wanted = text.toLowerCase();
    const found: { folderId: string; path: string }[] = [];
    let level: readonly CountedFolder[] = this.#below.get(null) ?? [];
    while (level.length > 0 && found.length < most) {
      for (const { folderId } of level) {
        const path = this.path(folderId);
        if (path.toLowerCase().includes(wanted)) found.push({ folderId, path });
      }
      level = level.flatMap(({ folderId }) => this.#below.get(folderId) ?? []);
    }
    return found.slice(0, most);
  }
}
