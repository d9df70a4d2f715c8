import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";
import { limits } from "@lossless/protocol/limits";
import type { FastifyReply, FastifyRequest } from "fastify";
import { FairShares } from "../../ground/fair-shares.ts";
import { Slots } from "../../ground/slots.ts";

/** By Accept-Encoding, the better one first. Both at the level that keeps up with fast networks. */
const encodings = {
  zstd: (bytes: Uint8Array) =>
    promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 1 }),
};

/** Compresses replies, as many at once as may be in memory a second time. */
export function compressing(): Slots {
  return new Slots(new FairShares(4));
}

/**
 * Compresses a reply that is about to be sent, for a client that says it takes it, and sets its
 * headers. Numbers as text shrink to half, names and rows of tables to a tenth. No other origin can
 * have such a reply sent (M80), so its length tells nobody what is in it.
 */
export async function compressed(
  slots: Slots,
  { caller, headers }: Pick<FastifyRequest, "caller" | "headers">,
  reply: Pick<FastifyReply, "header">,
  pieces: readonly Uint8Array[],
): Promise<readonly Uint8Array[]> {
  void reply.header("vary", "accept-encoding");
  const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (sizeBytes < limits.compressedFromBytes || sizeBytes > limits.compressedBytesMax)
    return pieces;
  const taken = takenEncodings(headers["accept-encoding"]);
  const name = (["zstd", "gzip"] as const).find((each) => taken.has(each));
  if (name === undefined) return pieces;
  const holder = caller !== undefined && "organizationId" in caller ? caller.organizationId : "";
  const bytes = await slots.in(holder, () => encodings[name](Buffer.concat(pieces)));
  void reply.header("content-encoding", name);
  return [bytes];
}

/** Codings that a header names; one with `q=0` is refused by it. */
export function takenEncodings(header: string | string[] | undefined): Set<string> {
  const named = String(header ?? "")
    .split(",")
    .map((each) => each.trim().toLowerCase());
  return new Set(
    named.filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each)).map((each) => each.split(/\s*;/)[0]),
  );
}
