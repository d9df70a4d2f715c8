import type { ServerResponse } from "node:http";
import { freeMemory } from "../../ground/free-memory.ts";
import { drained } from "../replies/drained.ts";

/**
 * Sends pieces as the client takes them; memory holds the piece being sent and what the source
 * reads ahead. Ends early when the client is gone. An error of the source is thrown on, and the
 * connection is cut: the client sees a body that is too short.
 */
export async function sendPieces(
  response: ServerResponse,
  pieces: AsyncGenerator<Uint8Array>,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (response.destroyed) break;
      if (!response.write(piece, () => freeMemory(piece))) await drained(response);
    }
  } catch (error) {
    response.destroy();
    throw error;
  }
  if (!response.destroyed) response.end();
}
