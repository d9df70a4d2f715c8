import type { VersionRecord } from "@lossless/protocol";
import { writeOne } from "../storage/storage.ts";
import { signedRead, signFiles, versionRecord } from "./record.ts";
import type { ReaderPlace } from "./record.ts";
import { atStore } from "./store-failure.ts";
import type { WalkContext } from "./walk-context.ts";

export interface ReadVersion {
  organizationId: string;
  artifact: string;
  /** A name or `latest`. */
  version: string;
  urls: boolean;
  place: ReaderPlace;
}

/** One version; with `urls` all of its files are signed, which counts as one read before it is answered. */
export async function readVersion(
  context: WalkContext,
  { organizationId, artifact, version: name, urls, place }: ReadVersion,
): Promise<VersionRecord> {
  const { storage } = context;
  const version = await storage.read("version.read", { organizationId, artifact, version: name });
  if (!urls) return versionRecord(version, place, undefined);
  const signed = await atStore("sign the files", () =>
    signFiles(context, version, version.files.length),
  );
  const reads = [signedRead(version, signed)];
  await writeOne(storage, "usage.count", { organizationId, place, reads });
  return versionRecord(version, place, signed);
}
