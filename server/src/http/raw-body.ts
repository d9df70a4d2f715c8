import type { IncomingMessage } from "node:http";
import { ServiceError } from "../errors.ts";
import { ClientGone } from "./request-body.ts";

/**
 * A small body, whatever it is, byte by byte as it was sent. More than `maximumBytes` are `bad_request` (A40) as
 * soon as they are declared or arrive; the rest is not gathered. Compressed ones are refused: nobody could say
 * whether the bytes or what they unpack to is meant.
 */
export async function readRawBody(
  request: IncomingMessage,
  maximumBytes: number,
): Promise<Uint8Array> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new ServiceError(
      "unsupported_media_type",
      "The body is stored as it is sent: it must not have a content-encoding.",
    );
  }
  if (Number(request.headers["content-length"] ?? 0) > maximumBytes) throw tooLong(maximumBytes);
  return gather(request, maximumBytes);
}

function gather(request: IncomingMessage, maximumBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maximumBytes) finish(() => reject(tooLong(maximumBytes)));
      else chunks.push(chunk);
    };
    const onEnd = () => finish(() => resolve(ownBytes(chunks, sizeBytes)));
    const onGone = () => finish(() => reject(new ClientGone("the request ended early")));
    const finish = (settle: () => void) => {
      request.off("data", onData).off("end", onEnd).off("close", onGone);
      // What still comes is thrown away; see closeAfterReply for how long. Errors then mean nothing.
      request.resume();
      settle();
    };
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** Not a view of a pool: it is sent to another thread whole. */
function ownBytes(chunks: readonly Buffer[], sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
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
