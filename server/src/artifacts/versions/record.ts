import type { Place } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { SignedRead } from "../rows/read-usage.ts";
import type { StoredVersion } from "../rows/version.ts";
import type { Signed } from "../../buckets/bucket.ts";
import { transferOf } from "../../places/rows/locations/placement.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { signInTurns } from "./sign-in-turns.ts";
import type { WalkContext } from "./walk-context.ts";

/** Location of the reader, as far as it declared it. */
export type ReaderPlace = Partial<Pick<Place, "cloud" | "region">>;

/** Files that are signed without a break: some milliseconds. */
const filesPerTurn = 500;

/**
 * Writes the JSON of a VersionRecord; its first files have the addresses in `signed`, the others
 * none. The meta is spliced in as it is stored: never parsed, never altered.
 */
export async function writeRecord(
  text: ReplyText,
  version: StoredVersion,
  place: ReaderPlace,
  signed: Signed<string> | undefined,
): Promise<void> {
  const { location, files, metaText } = version;
  const head = JSON.stringify({
    artifact: version.artifact,
    version: version.version,
    committed: new Date(version.committedAtMs).toISOString(),
    location: { id: location.id, cloud: location.cloud, region: location.region },
    transfer: transferOf(place, location),
    bytes: version.bytes,
  });
  const tail = JSON.stringify({
    source: version.source,
    expires: signed === undefined ? null : new Date(signed.expiresAtMs).toISOString(),
  });
  await text.add(`${head.slice(0, -1)},"meta":`);
  await text.add(metaText);
  await text.add(`,${tail.slice(1, -1)},"files":[`);
  for (const [at, { name, size }] of files.entries()) {
    const file = JSON.stringify({ name, size, url: signed?.addresses[at] ?? null });
    await text.add(at === 0 ? file : `,${file}`);
  }
  await text.add("]}");
}

/** Signs the first `count` files of a version. Rejects with StoreError. */
export async function signFiles(
  { buckets, signingDeadlineMs: deadlineMs }: WalkContext,
  { location, files }: StoredVersion,
  count: number,
): Promise<Signed<string>> {
  const bucket = buckets.bucketOf(location);
  const objects = files.slice(0, count);
  const all: Signed<string> = { addresses: [], expiresAtMs: Number.POSITIVE_INFINITY };
  const sign = (turn: readonly (typeof objects)[number][]) =>
    bucket.signReads(turn, limits.signedUrlLifetimeMs);
  const turns = signInTurns({ items: objects, perTurn: filesPerTurn, sign, deadlineMs });
  for await (const { signed } of turns) {
    all.addresses.push(...signed.addresses);
    all.expiresAtMs = Math.min(all.expiresAtMs, signed.expiresAtMs);
  }
  return all;
}

/** Returns the usage to count for signed files. */
export function signedRead({ location, files }: StoredVersion, signed: Signed<string>): SignedRead {
  const handedOut = files.slice(0, signed.addresses.length);
  return { location, bytes: handedOut.reduce((sum, { size }) => sum + size, 0) };
}
