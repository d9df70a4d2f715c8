import { limits } from "@lossless/client";
import type { FileSource } from "./file-source.ts";
import { type Look, lookAt, shownBytesMax } from "./look.ts";
import { isDrawable } from "./picture.ts";

export interface ReadLook {
  look: Look;
  /** Bytes of the file that were read. */
  shownBytes: number;
  /** Data address of a picture. */
  address?: string;
}

/** Reads the part of a file that is shown: pictures completely, other files from the beginning. */
export async function readLook(
  source: FileSource,
  file: string,
  sizeBytes: number,
  stopped: AbortSignal,
): Promise<ReadLook> {
  const first = await source.part(file, { length: shownBytesMax }, stopped);
  const look = lookAt(file, first, first.length >= sizeBytes);
  const isShown =
    look.kind === "picture" && isDrawable(look) && sizeBytes <= limits.filePartBytesMax;
  if (!isShown) return { look, shownBytes: first.length };
  const isWhole = first.length >= sizeBytes;
  const rest = isWhole
    ? new Uint8Array(0)
    : await source.part(file, { offset: first.length }, stopped);
  const address = `data:${look.type};base64,${base64Of([first, rest])}`;
  return { look, shownBytes: sizeBytes, address };
}

/** Bytes passed to `btoa` at once: more arguments would overflow the stack. */
const pieceBytes = 8_192;

function base64Of(parts: readonly Uint8Array[]): string {
  let letters = "";
  for (const part of parts)
    for (let at = 0; at < part.length; at += pieceBytes)
      letters += String.fromCharCode(...part.subarray(at, at + pieceBytes));
  return btoa(letters);
}
