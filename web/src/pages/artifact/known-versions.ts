import type { ArtifactReply, ViewedVersion } from "@lossless/client";

/** Versions of an artifact read so far, newest first, without gaps. */
export interface KnownVersions {
  versions: readonly ViewedVersion[];
  /** Cursor of the next older page; null: there is none. */
  next: string | null;
}

/** Updates the newest versions; older ones are dropped if more than a page is new. */
export function withNewest(
  known: KnownVersions | undefined,
  { versions, next }: Pick<ArtifactReply, "versions" | "next">,
): KnownVersions {
  const last = versions.at(-1)?.version;
  const meets = known?.versions.findIndex(({ version }) => version === last) ?? -1;
  if (known === undefined || meets === -1) return { versions, next };
  return { versions: [...versions, ...known.versions.slice(meets + 1)], next: known.next };
}

/** Appends the next older page. */
export function withOlder(
  known: KnownVersions,
  after: string,
  { versions, next }: Pick<ArtifactReply, "versions" | "next">,
): KnownVersions {
  // Another reply was faster.
  if (known.next !== after) return known;
  return { versions: [...known.versions, ...versions], next };
}
