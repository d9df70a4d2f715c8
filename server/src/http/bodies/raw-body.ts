import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../ground/errors.ts";
import { type BodyAllowance, gatherBody, reserveBody } from "./whole-body.ts";

/**
 * Reads a small body of any content, byte by byte as sent. More than `maximumBytes` are
 * `bad_request` (A40) as soon as they are declared or arrive; the rest is not gathered. Compressed
 * bodies are refused: it would be ambiguous whether the bytes or their unpacked content is meant.
 */
export async function readRawBody(
  request: IncomingMessage,
  maximumBytes: number,
  allowance: BodyAllowance,
): Promise<Uint8Array> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new ServiceError(
      "unsupported_media_type",
      "The body is stored as it is sent: it must not have a content-encoding.",
    );
  }
  const refusal = () => tooLong(maximumBytes);
  using reservation = reserveBody(request, allowance, maximumBytes, refusal);
  return ownBytes(await gatherBody(request, reservation, allowance, maximumBytes, refusal));
}

/**
 * Returns the bytes in memory of their own, not a view of a pool: they are transferred to another
 * thread.
 */
function ownBytes(chunks: readonly Buffer[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function tooLong(maximumBytes: number): ServiceError {
  return new ServiceError("bad_request", `The body is larger than ${maximumBytes} bytes.`);
}
