import { limits, type VersionRecord } from "@lossless/client";
import type { Service } from "../../signed-in.ts";
import { type Checksums, checksumsIn, listOfChecksums, readChecksums } from "./checksums.ts";

/** Reads the checksums in the meta, or in the file that it names, if that is small enough. */
export async function readAllChecksums(
  { client }: Service,
  { artifact, version, meta, files }: VersionRecord,
  stopped: AbortSignal,
): Promise<Checksums> {
  const inMeta = checksumsIn(meta);
  const list = listOfChecksums(meta, files);
  const size = files.find(({ name }) => name === list)?.size ?? Infinity;
  if (list === undefined || size > limits.filePartBytesMax) return inMeta;
  const bytes = await client.views.filePart({ artifact, version, file: list }, stopped);
  return new Map([...readChecksums(new TextDecoder().decode(bytes)), ...inMeta]);
}
