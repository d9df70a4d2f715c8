import { hasCode } from "@lossless/client";
import { countedText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Folders } from "./folder-lines.ts";

/** Renames a folder; returns a sentence about it. Throws an Error that says what prevents it. */
export async function renameFolder(
  { client }: Pick<Service, "client">,
  folderId: string,
  name: string,
): Promise<string> {
  try {
    await client.folders.update(folderId, { name });
  } catch (error) {
    if (!hasCode(error, "folder_already_exists")) throw error;
    throw new Error(`There is already a folder named ${name} in the same place.`, { cause: error });
  }
  return `The folder was renamed to ${name}.`;
}

/** The same for removing an empty folder. */
export async function removeFolder(
  { client }: Pick<Service, "client">,
  folders: Folders,
  folderId: string,
): Promise<string> {
  const path = folders.path(folderId);
  try {
    await client.folders.delete(folderId);
  } catch (error) {
    if (!hasCode(error, "folder_not_empty")) throw error;
    // The page knew an older state than the service.
    const sentence = "The folder is no longer empty. Close this dialog and look again.";
    throw new Error(sentence, { cause: error });
  }
  return `The folder ${path} was removed.`;
}

/** The same for trashing a folder with its content. */
export async function trashFolder(
  { client }: Pick<Service, "client">,
  folders: Folders,
  folderId: string,
): Promise<string> {
  const path = folders.path(folderId);
  const { experiments, folders: gone } = await client.trash.folder(folderId);
  const others = gone > 1 ? ` with ${countedText(gone - 1, "folder")} below it` : "";
  const moved = `, and ${countedText(experiments, "experiment")} ${experiments === 1 ? "was" : "were"} moved to the trash`;
  return `The folder ${path} was removed${others}${experiments > 0 ? moved : ""}.`;
}

/** The content of a folder and all below it, in words; undefined: it is empty. */
export function contentOf(folders: Folders, folderId: string): string | undefined {
  const experiments = folders.way(folderId).at(-1)?.experimentsBelow ?? 0;
  const below = folders.below(folderId);
  const parts = [
    ...(experiments > 0 ? [countedText(experiments, "experiment")] : []),
    ...(below > 0 ? [countedText(below, "folder")] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(" and ");
}
