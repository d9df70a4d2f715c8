import type { Moment } from "../../ground/clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { createFolder } from "./create.ts";
import { pathToRoot } from "./depth.ts";
import { folderNamed } from "./name.ts";

/** Returns the names of a folder and those above it, from the root down. */
export async function namesToFolder(
  reader: Reader,
  organizationId: string,
  folderId: string,
): Promise<string[]> {
  const names: string[] = [];
  for (const id of await pathToRoot(reader, organizationId, folderId)) {
    const row = await reader.get<{ name: string }>("SELECT name FROM folder WHERE id = $1", id);
    names.unshift(row!.name);
  }
  return names;
}

/** The folder at a path of names from the root down, made where it is not there any more. */
export async function folderAt(
  transaction: Transaction,
  organizationId: string,
  names: readonly string[],
  moment: Moment,
): Promise<string | null> {
  let parentFolderId: string | null = null;
  for (const name of names) {
    const found = await folderNamed(transaction, organizationId, parentFolderId, name);
    if (found === undefined) {
      const data = { name, parentFolderId };
      const made = await createFolder(transaction, { organizationId, data }, moment);
      parentFolderId = made.folderId;
    } else parentFolderId = found;
  }
  return parentFolderId;
}
