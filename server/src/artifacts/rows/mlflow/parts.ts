import type { Reader } from "../../../database/database.ts";
import { findLocation, type StoredLocation } from "../../../places/rows/locations/location.ts";
import type { FileName } from "./file.ts";
import { requireOwner } from "./owner.ts";

export interface UploadName extends FileName {
  uploadId: string;
}

/** State of an upload in parts; it is over once it is a file, also one that was replaced since. */
export type PartsUpload =
  | { isOver: true }
  | { isOver: false; key: string; location: StoredLocation };

/** `file.upload`; undefined when it was never begun in this organization, or was aborted. */
export async function readFileUpload(
  reader: Reader,
  name: UploadName,
): Promise<PartsUpload | undefined> {
  await requireOwner(reader, name);
  if (await wasCommitted(reader, name)) return { isOver: true };
  const { organizationId, uploadId } = name;
  const row = await reader.get<{ key: string; location: string }>(
    `SELECT key, location FROM file_upload
     WHERE id = $1 AND organization = $2 AND state = 'writing'`,
    uploadId,
    organizationId,
  );
  if (row === undefined) return undefined;
  const location = await findLocation(reader, organizationId, row.location);
  if (location === undefined) throw new Error(`BUG: the upload ${uploadId} has no location`);
  return { isOver: false, key: row.key, location };
}

/** Whether the upload was committed; a replaced file is known as long as its object stays. */
export async function wasCommitted(
  reader: Reader,
  { organizationId, owner, path, uploadId }: UploadName,
): Promise<boolean> {
  const found = await reader.get(
    `SELECT upload FROM file WHERE upload = $1 AND organization = $2 AND owner = $3 AND path = $4
     UNION ALL
     SELECT id FROM file_upload
     WHERE id = $1 AND organization = $2 AND state = 'left' AND was_file = 1`,
    uploadId,
    organizationId,
    owner,
    path,
  );
  return found !== undefined;
}
