import type { ExperimentNode, FolderNode, FolderTree } from "@lossless/client";
import { CommandError } from "./command.ts";

/**
 * Parses a folder as typed: names from the root, joined by slashes; a slash in a name is written
 * `\/`.
 */
export function folderPath(text: string): string[] {
  const names = text.split(/(?<!\\)\//).map((name) => name.replaceAll("\\/", "/"));
  return names.filter((name) => name !== "");
}

export interface PlacedExperiment extends ExperimentNode {
  /** Names of the enclosing folders, from the root. */
  folder: string[];
}

/** Lists every experiment at and below a folder, depth first, in the order of the tree. */
export function experimentsBelow(tree: FolderTree, path: readonly string[]): PlacedExperiment[] {
  return [...walk(path.length === 0 ? tree : folderAt(tree, path), [...path])];
}

function* walk(
  folder: Pick<FolderNode, "folders" | "experiments">,
  path: string[],
): Generator<PlacedExperiment> {
  for (const experiment of folder.experiments) yield { ...experiment, folder: path };
  for (const child of folder.folders) yield* walk(child, [...path, child.name]);
}

export function folderAt(tree: FolderTree, path: readonly string[]): FolderNode {
  let folders: readonly FolderNode[] = tree.folders;
  let found: FolderNode | undefined;
  for (const name of path) {
    found = folders.find((folder) => folder.name === name);
    if (found === undefined) throw new CommandError(`there is no folder ${path.join("/")}`);
    folders = found.folders;
  }
  if (found === undefined) throw new CommandError("name a folder");
  return found;
}
