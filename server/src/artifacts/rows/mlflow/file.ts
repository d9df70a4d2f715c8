import type { Reader } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { findLocation, type StoredLocation } from "../../../places/rows/locations/location.ts";
import { below } from "./below.ts";
import { type FileOwner, requireOwner } from "./owner.ts";

export interface FileName extends FileOwner {
  path: string;
}

/** A file, and where its bytes are. */
export interface StoredFile {
  key: string;
  bytes: number;
  storeVersion: string | null;
  location: StoredLocation;
}

/** `file.read` */
export async function readFile(reader: Reader, name: FileName): Promise<StoredFile> {
  await requireOwner(reader, name);
  const { organizationId, owner, path } = name;
  const row = await reader.get<Omit<StoredFile, "location"> & { location: string }>(
    `SELECT key, bytes, store_version AS "storeVersion", location FROM file
     WHERE owner = $1 AND path = $2 AND organization = $3`,
    owner,
    path,
    organizationId,
  );
  if (row === undefined) throw await whyNot(reader, name);
  const location = await findLocation(reader, organizationId, row.location);
  if (location === undefined) throw new Error(`BUG: the file ${row.key} has no location`);
  return { ...row, location };
}

async function whyNot(reader: Reader, { owner, path }: FileName): Promise<ServiceError> {
  const { from, to } = below(path);
  const isFolder = await reader.get(
    "SELECT path FROM file WHERE owner = $1 AND path >= $2 AND path < $3 LIMIT 1",
    owner,
    from,
    to,
  );
  return path === "" || isFolder !== undefined
    ? new ServiceError("bad_request", `Artifact path refers to a directory, not a file: '${path}'`)
    : new ServiceError("file_not_found", `No such artifact: '${path}'`);
}
