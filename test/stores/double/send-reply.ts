import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { drained } from "../../drained.ts";
import type { Reply } from "./exchange.ts";
import type { Fault } from "./faults.ts";

/** Sends an answer, in the manner of a fault when there is one. */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  fault: Fault | undefined,
  isHead: boolean,
): Promise<void> {
  const body = contentOf(reply, fault);
  const isXml = typeof reply.body === "string" && reply.body !== "";
  response.writeHead(reply.status, {
    ...(isXml ? { "content-type": "application/xml" } : {}),
    ...reply.headers,
    ...(reply.status === 204 || reply.status === 304 ? {} : { "content-length": body.sizeBytes }),
  });
  if (isHead) {
    response.end();
    return;
  }
  let leftBytes = fault?.kind === "cutReply" ? Math.floor(body.sizeBytes / 2) : Infinity;
  for await (const chunk of inManner(body.read(), fault)) {
    if (response.destroyed) return;
    const piece = chunk.subarray(0, leftBytes);
    leftBytes -= piece.length;
    if (!response.write(piece)) await drained(response);
    if (leftBytes === 0) break;
  }
  if (fault?.kind !== "cutReply") {
    response.end();
    return;
  }
  // The written bytes have to leave first, or the client would see no answer instead of half of
  // one.
  await new Promise<void>((resolve) => response.write("", () => resolve()));
  response.destroy();
}

interface Content {
  sizeBytes: number;
  read(): AsyncIterable<Buffer>;
}

function contentOf({ body }: Reply, fault: Fault | undefined): Content {
  if (typeof body === "object") return body;
  const whole = Buffer.from(body ?? "");
  const length = fault?.kind === "truncatedXml" ? Math.floor(whole.length / 2) : whole.length;
  const bytes = whole.subarray(0, length);
  return {
    sizeBytes: bytes.length,
    async *read() {
      if (bytes.length > 0) yield bytes;
    },
  };
}

async function* inManner(
  chunks: AsyncIterable<Buffer>,
  fault: Fault | undefined,
): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (fault?.kind === "trickle") {
      for (let offset = 0; offset < chunk.length; offset += fault.pieceBytes) {
        yield chunk.subarray(offset, offset + fault.pieceBytes);
        await sleep(fault.pauseMs);
      }
    } else if (fault?.kind === "flippedBit" && isFirst) {
      const copy = Buffer.from(chunk);
      copy[0] = (copy[0] ?? 0) ^ 1;
      yield copy;
    } else {
      yield chunk;
    }
    isFirst = false;
  }
}
