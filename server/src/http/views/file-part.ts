import type { FastifyReply, FastifyRequest } from "fastify";
import type { FilePart } from "../../artifacts/versions/file.ts";

/** Headers with which no browser shows the bytes as a page of ours (A41). */
const neverRun = {
  "content-disposition": "attachment",
  "content-security-policy": "sandbox; default-src 'none'",
};

/** Replies with bytes; their share is held until they are sent. */
export function partReply(
  part: FilePart,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>> = neverRun,
): Uint8Array {
  reply.raw.once("close", () => part[Symbol.dispose]());
  if (reply.raw.closed || request.raw.socket.destroyed) part[Symbol.dispose]();
  void reply.headers({ "x-svc-file-bytes": String(part.sizeBytes), ...headers });
  return part.bytes;
}
