import { StoreError } from "../errors.ts";
import { connectionFailure, type StoreConnections, type StoreReply } from "./store-connections.ts";

export interface RangeRequest {
  url: string;
  /** First byte, inclusive, and last, exclusive. */
  start: number;
  end: number;
  /** Size of the whole file. */
  size: number;
  signal: AbortSignal;
}

/** Yields the bytes of a file's range. Throws StoreError when bytes are missing or differ. */
export async function* readRange(
  connections: StoreConnections,
  { url, start, end, size, signal }: RangeRequest,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (start === end) return;
  const range = `bytes=${start}-${end - 1}`;
  // A store must not compress what a proxy then unpacks: offsets count the bytes as sent.
  const headers = { range, "accept-encoding": "identity" };
  const reply = await connections.send({ method: "GET", url, headers, length: 0, signal });
  try {
    if (!isRange(reply, start, end, size)) {
      throw new StoreError(`the store did not give the range ${range} of ${size} bytes`, undefined);
    }
    let left = end - start;
    for await (const chunk of reply.body) {
      left -= (chunk as Uint8Array).length;
      if (left < 0) break;
      yield chunk as Uint8Array;
    }
    if (left !== 0) throw new StoreError("the store returned another number of bytes", undefined);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StoreError ? error : connectionFailure(error, url);
  } finally {
    reply.body.destroy();
  }
}

function isRange({ status, headers }: StoreReply, start: number, end: number, size: number) {
  // A range of the whole file may be answered with the whole file.
  if (status === 200) return start === 0 && end === size;
  return status === 206 && headers["content-range"] === `bytes ${start}-${end - 1}/${size}`;
}
