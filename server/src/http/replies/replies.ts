import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { FastifyReply } from "fastify";

/** Sends a reply whose text is made; large ones as the client takes them. */
export function sendJson(
  reply: FastifyReply,
  text: string | Buffer | readonly Uint8Array[],
  status = 200,
  mediaType: string = jsonType,
): void {
  void reply.code(status).type(mediaType);
  const pieces = typeof text === "string" && isLarge(text.length) ? [Buffer.from(text)] : text;
  if (typeof pieces === "string") return void reply.send(pieces);
  const all = Array.isArray(pieces) ? pieces : [pieces as Buffer];
  const sizeBytes = all.reduce((sum, { length }) => sum + length, 0);
  if (!isLarge(sizeBytes)) return void reply.send(all.length === 1 ? all[0] : Buffer.concat(all));
  void reply.header("content-length", sizeBytes).send(bodyStream(all));
}

/** Maximum written at once: progress of a slow reader shows by the pieces that it takes. */
const pieceBytesMax = 65_536;

/** Whether a body is larger than one piece. */
function isLarge(sizeBytes: number): boolean {
  return sizeBytes > pieceBytesMax;
}

/**
 * Sends pieces as the client takes them, and releases those taken. Gives way in between: the system
 * takes some megabytes of each connection at once, and there may be thousands.
 */
function bodyStream(pieces: readonly Uint8Array[]): Readable {
  return Readable.from(slices([...pieces]), { objectMode: false, highWaterMark: 1 });
}

async function* slices(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    const small = [piece];
    let sizeBytes = piece.length;
    while (pieces.length > 0 && sizeBytes + pieces[0].length <= pieceBytesMax) {
      sizeBytes += pieces[0].length;
      small.push(pieces.shift()!);
    }
    const joined = small.length === 1 ? piece : Buffer.concat(small);
    for (let start = 0; start < joined.length; start += pieceBytesMax) {
      yield joined.subarray(start, start + pieceBytesMax);
      await setImmediate();
    }
  }
}

export const jsonType = "application/json; charset=utf-8";

/**
 * Returns the id that a proxy or a client gave the request, so that its log and ours name the same,
 * if it is safe in a header, a page and a line of the log; else a new one.
 */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Headers of every reply. No CORS headers, ever (M80): pages of other origins read nothing. */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}
