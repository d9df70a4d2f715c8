import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Smaller replies are one or two packets, and gain nothing. */
const compressedFromBytes = 16_384;
/** Larger ones would hold a thread of the pool, on which others wait for files, for too long. */
const compressedBytesMax = 16_777_216;

/** By Accept-Encoding, the better one first. Both at the level that keeps up with fast networks. */
const encodings = {
  zstd: (bytes: Uint8Array) =>
    promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 1 }),
};

/**
 * Compresses a reply for a client that says it takes it, and sets its headers. Numbers as text
 * shrink to half, names and rows of tables to a tenth. Secrets are never in such replies: the
 * length of a compressed text tells about what is in it. Guests get theirs as they are: what their
 * link hides is still taken out of them.
 */
export async function compressed(
  pieces: readonly Uint8Array[],
  request: Pick<FastifyRequest, "headers" | "caller">,
  reply: Pick<FastifyReply, "header">,
): Promise<readonly Uint8Array[]> {
  if (request.caller?.kind === "guest") return pieces;
  void reply.header("vary", "accept-encoding");
  const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (sizeBytes < compressedFromBytes || sizeBytes > compressedBytesMax) return pieces;
  const taken = takenEncodings(String(request.headers["accept-encoding"] ?? ""));
  const name = (["zstd", "gzip"] as const).find((each) => taken.has(each));
  if (name === undefined) return pieces;
  const bytes = await encodings[name](Buffer.concat(pieces));
  void reply.header("content-encoding", name);
  return [bytes];
}

/** Codings that a header names; one with `q=0` is refused by it. */
function takenEncodings(header: string): Set<string> {
  const named = header.split(",").map((each) => each.trim().toLowerCase());
  return new Set(
    named.filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each)).map((each) => each.split(/\s*;/)[0]),
  );
}
