import { writeOne } from "../../storage/storage.ts";
import { type ReaderPlace, signedRead, signFiles, writeRecord } from "./record.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { atStore } from "../../places/stores/store-failure.ts";
import type { WalkContext } from "./walk-context.ts";

export interface ReadVersion {
  organizationId: string;
  artifact: string;
  /** A name or `latest`. */
  version: string;
  urls: boolean;
  place: ReaderPlace;
}

/** The JSON of one VersionRecord; with `urls` all files are signed: one read, counted first. */
export async function readVersionSigned(
  context: WalkContext,
  { organizationId, artifact, version: name, urls, place }: ReadVersion,
): Promise<Buffer> {
  const { storage } = context;
  const version = await storage.read("version.read", { organizationId, artifact, version: name });
  const sign = () => signFiles(context, version, version.files.length);
  const signed = urls ? await atStore("sign the files", sign) : undefined;
  if (signed !== undefined) {
    const reads = [signedRead(version, signed)];
    await writeOne(storage, "usage.count", { organizationId, place, reads });
  }
  const text = new ReplyText();
  await writeRecord(text, version, place, signed);
  return text.end();
}
