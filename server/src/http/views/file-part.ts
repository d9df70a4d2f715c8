import type { FastifyReply, FastifyRequest } from "fastify";
import type { FilePart } from "../../artifacts/versions/file.ts";

/**
 * Replies with bytes that no browser shows as a page of ours (A41); their share is held until they
 * are sent.
 */
export function partReply(
  part: FilePart,
  request: FastifyRequest,
  reply: FastifyReply,
): Uint8Array {
  reply.raw.once("close", () => part[Symbol.dispose]());
  if (reply.raw.closed || request.raw.socket.destroyed) part[Symbol.dispose]();
  void reply.headers({
    "x-svc-file-bytes": String(part.sizeBytes),
    "content-disposition": "attachment",
    "content-security-policy": "sandbox; default-src 'none'",
  });
  return part.bytes;
}
