import { randomBytes } from "node:crypto";
import { type FileHandle, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../ground/durable-file.ts";
import { freeMemory } from "../../ground/free-memory.ts";
import { PartChecksums, partEtag } from "./part.ts";

/** The bytes of a part in order, in batches as they arrive. Writing overwrites them. */
export type BodyPieces = AsyncIterable<readonly Uint8Array[]>;

/**
 * Writes a part to a new file of the upload's directory, whose names are then to be synced;
 * resolves with its ETag when its bytes are durable. A file made `beside` it, once the ETag is
 * known, is durable then, too. After any failure, of the body too, nothing of the part is left.
 */
export async function writePartFile(
  directory: string,
  part: { number: number; sizeBytes: number },
  body: BodyPieces,
  beside: (etag: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const unfinished = join(directory, unfinishedFileName());
  let other = Promise.resolve();
  try {
    const etag = await writeDurably(unfinished, async (file) => {
      const name = partEtag(await writeBody(file, part.sizeBytes, body));
      other = beside(name);
      // It is awaited below, unless the part fails first.
      other.catch(() => undefined);
      return name;
    });
    await other;
    await rename(unfinished, join(directory, partFileName({ ...part, etag })));
    return etag;
  } catch (error) {
    await other.catch(() => undefined);
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Returns a name for an unfinished file; no finished file has a `~` in its name. */
export function unfinishedFileName(): string {
  return `~${randomBytes(10).toString("hex")}`;
}

export interface PartName {
  number: number;
  sizeBytes: number;
  etag: string;
}

export function partFileName({ number, sizeBytes, etag }: PartName): string {
  return `${number}-${sizeBytes}-${etag}`;
}

/** Undefined for the other files of an upload's directory. */
export function parsePartFileName(name: string): PartName | undefined {
  const match = /^(\d{1,10})-(\d{1,16})-([0-9a-f]{24})$/.exec(name);
  if (match === null) return undefined;
  return { number: Number(match[1]), sizeBytes: Number(match[2]), etag: match[3] };
}

async function writeBody(file: FileHandle, sizeBytes: number, body: BodyPieces): Promise<Buffer> {
  const checksums = new PartChecksums(sizeBytes);
  let position = 0;
  for await (const pieces of body) {
    for (const piece of pieces) checksums.add(piece);
    position += await writePieces(file, pieces, position);
    freeMemory(...pieces);
  }
  const trailer = checksums.trailer();
  await writePieces(file, [trailer], position);
  return trailer;
}

/** A write may stop in the middle when the disk becomes full; the next one then says so. */
async function writePieces(
  file: FileHandle,
  pieces: readonly Uint8Array[],
  position: number,
): Promise<number> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let { bytesWritten } = await file.writev(pieces, position);
  if (bytesWritten === length) return length;
  const whole = Buffer.concat(pieces);
  while (bytesWritten < length) {
    const rest = await file.write(
      whole,
      bytesWritten,
      length - bytesWritten,
      position + bytesWritten,
    );
    bytesWritten += rest.bytesWritten;
  }
  return length;
}
