import type { IncomingMessage } from "node:http";
import { ServiceError } from "../../ground/errors.ts";
import { type BodyAllowance, gatherBody, reserveBody } from "./whole-body.ts";

/**
 * A small body, whatever it is, byte by byte as it was sent. More than `maximumBytes` are
 * `bad_request` (A40) as soon as they are declared or arrive; the rest is not gathered. Compressed
 * ones are refused: nobody could say whether the bytes or what they unpack to is meant.
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

/** Not a view of a pool: it is sent to another thread whole. */
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
