import { limits } from "@lossless/protocol/limits";
import type { StoredVersion } from "../rows/version.ts";
import type { Signed } from "../../buckets/bucket.ts";
import { writeOne } from "../../storage/storage.ts";
import { signIfPossible } from "./open.ts";
import { type ReaderPlace, signedRead, writeRecord } from "./record.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import type { WalkContext } from "./walk-context.ts";

export interface ListVersions {
  organizationId: string;
  artifact: string;
  after: string | null;
  urls: boolean;
  place: ReaderPlace;
}

/**
 * Returns the JSON of a VersionsPage: versions in name order. With `urls` up to 100 files are
 * signed, those of the newest version first (A35); each version of which files are signed counts as
 * a read. A failure of a store to sign does not fail the page, and the store is asked once.
 */
export async function listVersionsSigned(
  context: WalkContext,
  { organizationId, artifact, after, urls, place }: ListVersions,
): Promise<Buffer> {
  const { storage } = context;
  const page = await storage.read("version.list", { organizationId, artifact, after });
  const signed = urls ? await signNewest(context, page.versions) : new Map();
  if (signed.size > 0) {
    const reads = [...signed].map(([version, addresses]) => signedRead(version, addresses));
    await writeOne(storage, "usage.count", { organizationId, place, reads });
  }
  const text = new ReplyText();
  await text.add('{"versions":[');
  for (const [at, version] of page.versions.entries()) {
    if (at > 0) await text.add(",");
    await writeRecord(text, version, place, signed.get(version));
  }
  await text.add(`],"next":${JSON.stringify(page.next)}}`);
  return text.end();
}

async function signNewest(
  context: WalkContext,
  versions: readonly StoredVersion[],
): Promise<Map<StoredVersion, Signed<string>>> {
  const signed = new Map<StoredVersion, Signed<string>>();
  /**
   * Locations that do not sign now: asked for each version, an unreachable cloud would take half a
   * minute each time.
   */
  const failed = new Set<string>();
  let left: number = limits.signedFilesPerPageMax;
  for (const version of versions.toReversed()) {
    if (left === 0) break;
    if (failed.has(version.location.id)) continue;
    const count = Math.min(left, version.files.length);
    const addresses = await signIfPossible(context, version, count);
    if (addresses === undefined) failed.add(version.location.id);
    else {
      left -= count;
      signed.set(version, addresses);
    }
  }
  return signed;
}
