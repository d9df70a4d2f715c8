import type { ArtifactReply, ViewedVersion } from "@lossless/client";

/** Versions of an artifact that were read so far, newest first, without a gap. */
export interface KnownVersions {
  versions: readonly ViewedVersion[];
  /** What older ones are asked with; null: there are none. */
  next: string | null;
}

/** With the newest ones, read again: where more came than a page has, what is older is let go. */
export function withNewest(
  known: KnownVersions | undefined,
  { versions, next }: Pick<ArtifactReply, "versions" | "next">,
): KnownVersions {
  const last = versions.at(-1)?.version;
  const meets = known?.versions.findIndex(({ version }) => version === last) ?? -1;
  if (known === undefined || meets === -1) return { versions, next };
  return { versions: [...versions, ...known.versions.slice(meets + 1)], next: known.next };
}

/** With the page behind them. */
export function withOlder(
  known: KnownVersions,
  after: string,
  { versions, next }: Pick<ArtifactReply, "versions" | "next">,
): KnownVersions {
  // Another answer was faster.
  if (known.next !== after) return known;
  return { versions: [...known.versions, ...versions], next };
}
