import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import type { ReadableObject } from "../../places/stores/signed-objects.ts";
import type { HttpContext } from "../http-context.ts";
import { sendPieces } from "../bodies/object-body.ts";
import { objectReply, type ObjectReply } from "./object-range.ts";
import { commonHeaders } from "./replies.ts";

/**
 * Replies with an object or a range of it, checked against its checksums on the way. `more` are
 * headers that replace or add to the usual ones.
 */
export async function sendObject(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  object: ReadableObject,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const answer = objectReply(request.headers, object);
  const hasBody = "length" in answer && request.method !== "HEAD";
  const pieces = hasBody ? object.read(answer.offset, answer.length) : undefined;
  try {
    // Damage at the beginning can still be reported as an error.
    const first = await pieces?.next();
    reply.hijack();
    const headers = { ...replyHeaders(context, request, object, answer), ...more };
    reply.raw.writeHead(answer.status, headers);
    if (pieces === undefined || first === undefined || first.done === true) {
      reply.raw.end();
      return;
    }
    try {
      await sendPieces(reply.raw, withFirst(first.value, pieces));
    } catch (error) {
      context.log.error({ request_id: request.id, err: error }, "a file could not be sent whole");
      if (error instanceof ServiceError && error.code === "data_corrupted") {
        context.figures.corruptions.add(1);
      }
    }
  } finally {
    // A reader that left within the first piece has never read the rest, which holds its file open.
    await pieces?.return(undefined);
  }
}

function replyHeaders(
  context: HttpContext,
  request: FastifyRequest,
  { sizeBytes, etag }: ReadableObject,
  answer: ObjectReply,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...commonHeaders(request.id),
    etag,
    "accept-ranges": "bytes",
    // Whatever the file contains, no browser runs it under our address.
    "content-type": "application/octet-stream",
    "content-disposition": "attachment",
    "content-security-policy": "sandbox; default-src 'none'",
    "referrer-policy": "no-referrer",
  };
  if (context.state.status !== "ok") headers["connection"] = "close";
  if (answer.status === 416) headers["content-range"] = `bytes */${sizeBytes}`;
  if (answer.status === 206) {
    const { offset, length } = answer;
    headers["content-range"] = `bytes ${offset}-${offset + length - 1}/${sizeBytes}`;
  }
  if (answer.status !== 304)
    headers["content-length"] = `${"length" in answer ? answer.length : 0}`;
  return headers;
}

async function* withFirst(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
