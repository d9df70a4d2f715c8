import type { StoredUpload } from "../rows/upload.ts";
import type { CheckedFile } from "./complete-files.ts";

/**
 * Returns the text of `_manifest.json`, stored beside the files before the commit (A28): by it a
 * version can be found again without the database. The manifest proves nothing by itself: only
 * versions in the database are committed. The same upload always gives the same text.
 */
export function manifestText(
  artifact: string,
  upload: StoredUpload,
  committedAtMs: number,
  checked: readonly CheckedFile[],
): string {
  const { id, organizationId, version, epoch, location, bytes, metaText, place, files } = upload;
  const head = JSON.stringify({
    format: "lossless-version-1",
    organization: organizationId,
    artifact,
    version,
    epoch,
    upload: id,
    committed: new Date(committedAtMs).toISOString(),
    location: { id: location.id, cloud: location.cloud, region: location.region },
    bytes,
  });
  const tail = JSON.stringify({
    source: place.source,
    files: files.map(({ name, size, partSize, key }, at) => ({
      name,
      size,
      partSize,
      key,
      etags: checked[at].parts.map(({ etag }) => etag),
      ...(checked[at].storeVersion === null ? {} : { storeVersion: checked[at].storeVersion }),
    })),
  });
  return `${head.slice(0, -1)},"meta":${metaText},${tail.slice(1)}`;
}
