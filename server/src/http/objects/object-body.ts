import type { ServerResponse } from "node:http";
import { release } from "../../ground/release.ts";

/**
 * Sends pieces as the client takes them; memory holds what is being sent and what the source reads ahead. It ends
 * early when the client is gone. What the source throws comes through, with the connection cut: the client sees a
 * body that is too short.
 */
export async function sendPieces(
  response: ServerResponse,
  pieces: AsyncGenerator<Uint8Array>,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (response.destroyed) break;
      if (!response.write(piece, () => release(piece))) await drainedOrClosed(response);
    }
  } catch (error) {
    response.destroy();
    throw error;
  }
  if (!response.destroyed) response.end();
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
