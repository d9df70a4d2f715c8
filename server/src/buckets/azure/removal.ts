import { StoreError } from "../bucket.ts";
import type { AzureContainer } from "./container.ts";

/**
 * Deletes the current blob with its snapshots: a client that has a part's address may make one,
 * which would keep the blob.
 */
export async function deleteCurrent(
  container: AzureContainer,
  key: string,
  condition: Readonly<Record<string, string>> = {},
): Promise<void> {
  await container.call({
    operation: "Delete Blob",
    method: "DELETE",
    key,
    headers: { "x-ms-delete-snapshots": "include", ...condition },
    expected: ["BlobNotFound", "ConditionNotMet"],
    breaksLease: true,
  });
}

export async function deleteVersion(
  container: AzureContainer,
  key: string,
  versionId: string,
): Promise<void> {
  await container.call({
    operation: "Delete Blob",
    method: "DELETE",
    key,
    query: `versionid=${encodeURIComponent(versionId)}`,
    // The version is the current one again: a client has just put it there. The next removal finds
    // it.
    expected: ["BlobNotFound", "OperationNotAllowedOnRootBlob"],
    breaksLease: true,
  });
}

/**
 * Deletes all states of a blob. A client that has a part's address may have made thousands: the
 * next removal finds those left at the deadline.
 */
export async function deleteVersions(container: AzureContainer, key: string): Promise<void> {
  const endsAtMs = performance.now() + container.deadlineMs;
  for await (const page of container.pages(key, "versions")) {
    const versions = page.flatMap((blob) => (blob.key === key ? (blob.versionId ?? []) : []));
    for (let at = 0; at < versions.length; at += deletedAtOnce) {
      if (performance.now() > endsAtMs)
        throw new StoreError("timeout", true, "Azure did not delete all versions in time.");
      const some = versions.slice(at, at + deletedAtOnce);
      await Promise.all(some.map((versionId) => deleteVersion(container, key, versionId)));
    }
    // All further blobs have longer names.
    if (page.length > 0 && page.at(-1)!.key !== key) return;
  }
}

const deletedAtOnce = 8;
