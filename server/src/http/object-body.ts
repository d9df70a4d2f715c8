import type { ServerResponse } from "node:http";
import { release } from "../release.ts";

export type BodyEnd = "complete" | "client_gone" | "idle";

/**
 * Sends pieces as the client takes them; memory holds what is being sent and what the source reads ahead. A
 * client that takes nothing for `idleMs` is cut. What the source throws comes through, with the connection cut:
 * the client sees a body that is too short.
 */
export async function sendPieces(
  response: ServerResponse,
  pieces: AsyncGenerator<Uint8Array>,
  idleMs: number,
): Promise<BodyEnd> {
  let isIdle = false;
  response.setTimeout(idleMs, () => {
    // Node's timer restarts whenever the kernel takes bytes. Nothing waiting: the disk is slow.
    if ((response.socket?.writableLength ?? 0) + response.writableLength === 0) return;
    isIdle = true;
    response.destroy();
  });
  try {
    for await (const piece of pieces) {
      if (response.destroyed) break;
      if (!response.write(piece, () => release(piece))) await drainedOrClosed(response);
    }
  } catch (error) {
    response.destroy();
    throw error;
  }
  if (response.destroyed) return isIdle ? "idle" : "client_gone";
  response.end();
  return "complete";
}

function drainedOrClosed(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
