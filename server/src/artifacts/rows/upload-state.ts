import type { Reader } from "../../database/database.ts";
import type { UploadState } from "./upload.ts";

/**
 * `upload.state`: the state, read for every part sent to the built-in location; null when there is
 * no upload.
 */
export async function readUploadState(
  reader: Reader,
  { organizationId, uploadId }: { organizationId: string; uploadId: string },
): Promise<UploadState | null> {
  const row = await reader.get<{ state: UploadState }>(
    "SELECT state FROM upload WHERE id = $1 AND organization = $2",
    uploadId,
    organizationId,
  );
  return row?.state ?? null;
}
