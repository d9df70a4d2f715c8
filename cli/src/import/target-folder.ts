import {
  type ExperimentRecord,
  findFolder,
  type FolderTree,
  type LosslessClient,
} from "@lossless/client";

/** The folder of new experiments, created with the first of them. */
export class TargetFolder {
  readonly #client: LosslessClient;
  readonly #path: string[] | undefined;
  #id: Promise<string | null> | undefined;
  #tree: Promise<FolderTree> | undefined;

  constructor(client: LosslessClient, path: string[] | undefined) {
    this.#client = client;
    this.#path = path;
  }

  async id(): Promise<string | null | undefined> {
    if (this.#path === undefined) return undefined;
    this.#id ??= this.#client.folders.ensure(this.#path);
    return this.#id;
  }

  /** Notes an experiment in another folder: an import moves nothing. */
  async notesOf({ folderId }: ExperimentRecord): Promise<string[]> {
    if (this.#path === undefined) return [];
    this.#tree ??= this.#client.folders.tree();
    const { folders } = await this.#tree;
    const place: string[] = [];
    for (let id = folderId; id !== null;) {
      const folder = findFolder(folders, id);
      if (folder === undefined) return [];
      place.unshift(folder.name.replaceAll("/", "\\/"));
      id = folder.parentFolderId;
    }
    const wanted = this.#path.map((name) => name.replaceAll("/", "\\/")).join("/");
    if (place.join("/") === wanted) return [];
    const where = place.length === 0 ? "in no folder" : `in the folder ${place.join("/")}`;
    return [`is ${where} and stays there: an import does not move experiments`];
  }
}
