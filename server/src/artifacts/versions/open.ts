import type { OpenArtifactBody } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { StoredVersion } from "../rows/version.ts";
import type { Signed } from "../../buckets/bucket.ts";
import { writeOne } from "../../storage/storage.ts";
import { signFiles, writeRecord } from "./record.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import type { WalkContext } from "./walk-context.ts";

export interface OpenArtifact extends OpenArtifactBody {
  organizationId: string;
  artifact: string;
}

/**
 * Gives the artifact to a new writer with the version to continue: the JSON of an
 * OpenArtifactReply. The epoch is taken before anything is signed, so a store that does not sign
 * must not fail the open: the files then have no addresses, and `versions/read` signs.
 */
export async function openArtifactSigned(
  context: WalkContext,
  { organizationId, artifact, mode, place, source }: OpenArtifact,
): Promise<Buffer> {
  const { storage, failpoints } = context;
  await failpoints.pass("open.beforeOpen");
  const opened = await writeOne(storage, "artifact.open", {
    organizationId,
    artifact,
    mode,
    source: source ?? null,
    place,
  });
  await failpoints.pass("open.afterOpen");
  const { epoch, version } = opened;
  const text = new ReplyText();
  await text.add(`{"epoch":${epoch},"version":`);
  if (version === null) await text.add("null");
  else {
    const signed = await signIfPossible(context, version, limits.signedFilesPerPageMax);
    await writeRecord(text, version, place, signed);
  }
  await text.add(`,"source":${JSON.stringify(source ?? null)}}`);
  return text.end();
}

export async function signIfPossible(
  context: WalkContext,
  version: StoredVersion,
  count: number,
): Promise<Signed<string> | undefined> {
  try {
    return await signFiles(context, version, count);
  } catch (error) {
    const { id } = version.location;
    context.warn(`The location ${id} does not sign; its files are listed without.`, error as Error);
    return undefined;
  }
}
