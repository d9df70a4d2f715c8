import { hasCode } from "@lossless/client";
import { countText } from "../../parts/words.ts";
import type { Service } from "../../signed-in.ts";
import type { Folders } from "./folder-lines.ts";

/** What happened, in words. Throws an Error that says what stands in the way. */
export async function renameFolder(
  { client }: Pick<Service, "client">,
  folderId: string,
  name: string,
): Promise<string> {
  try {
    await client.folders.update(folderId, { name });
  } catch (error) {
    if (!hasCode(error, "folder_already_exists")) throw error;
    throw new Error(`A folder beside it is called ${name} already.`, { cause: error });
  }
  return `The folder is called ${name} now.`;
}

/** Likewise. */
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
    throw new Error(`${contentOf(folders, folderId)} Move what is in it elsewhere first.`, {
      cause: error,
    });
  }
  return `The folder ${path} is removed.`;
}

function contentOf(folders: Folders, folderId: string): string {
  const experiments = folders.way(folderId).at(-1)?.experiments ?? 0;
  const below = folders.below(folderId);
  const parts = [
    ...(experiments > 0 ? [countOf(experiments, "experiment")] : []),
    ...(below > 0 ? [countOf(below, "folder")] : []),
  ];
  // The page may know an older state than the service.
  if (parts.length === 0) return "It is not empty.";
  return `It is not empty: ${parts.join(" and ")} ${experiments + below === 1 ? "is" : "are"} in it.`;
}

function countOf(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
