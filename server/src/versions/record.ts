import { setImmediate } from "node:timers/promises";
import type { Place, VersionRecord } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { SignedRead } from "../artifacts/read-usage.ts";
import type { StoredVersion } from "../artifacts/version.ts";
import type { Signed } from "../buckets/bucket.ts";
import { transferOf } from "../locations/placement.ts";
import type { WalkContext } from "./walk-context.ts";

/** As much of it as the reader told. */
export type ReaderPlace = Partial<Pick<Place, "cloud" | "region">>;

/** Files that are signed without a break: some milliseconds. */
const filesPerTurn = 500;

/** The record of a version; its first files have the addresses in `signed`, the others none. */
export function versionRecord(
  version: StoredVersion,
  place: ReaderPlace,
  signed: Signed<string> | undefined,
): VersionRecord {
  const { location, files } = version;
  return {
    artifact: version.artifact,
    version: version.version,
    committed: new Date(version.committedAtMs).toISOString(),
    location: { id: location.id, cloud: location.cloud, region: location.region },
    transfer: transferOf(place, location),
    bytes: version.bytes,
    meta: version.meta,
    source: version.source,
    expires: signed === undefined ? null : new Date(signed.expiresAtMs).toISOString(),
    files: files.map(({ name, size }, at) => ({ name, size, url: signed?.addresses[at] ?? null })),
  };
}

/** Signs the first `count` files of a version. Rejects with StoreError. */
export async function signFiles(
  { buckets }: WalkContext,
  { location, files }: StoredVersion,
  count: number,
): Promise<Signed<string>> {
  const bucket = buckets.bucketOf(location);
  const keys = files.slice(0, count).map(({ key }) => key);
  const all: Signed<string> = { addresses: [], expiresAtMs: Number.POSITIVE_INFINITY };
  for (let start = 0; start < keys.length; start += filesPerTurn) {
    if (start > 0) await setImmediate();
    const turn = keys.slice(start, start + filesPerTurn);
    const signed = await bucket.signReads(turn, limits.signedUrlLifetimeMs);
    all.addresses.push(...signed.addresses);
    all.expiresAtMs = Math.min(all.expiresAtMs, signed.expiresAtMs);
  }
  return all;
}

/** What the usage counts for files that were signed. */
export function signedRead({ location, files }: StoredVersion, signed: Signed<string>): SignedRead {
  const handedOut = files.slice(0, signed.addresses.length);
  return { location, bytes: handedOut.reduce((sum, { size }) => sum + size, 0) };
}
