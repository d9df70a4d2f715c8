import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ClientGone } from "../bodies/client-gone.ts";

/**
 * Runs the requests of a connection one after another. A client may send many without waiting for
 * their replies (RFC 9112, 9.3.2), and Node hands out all of them at once: 800 connections with 20
 * requests each held everybody else up for three seconds.
 */
export class PipelinedRequests {
  /** The last request handed out of each connection; those before it finish earlier. */
  readonly #last = new WeakMap<Socket, ServerResponse>();

  /**
   * Returns a promise of the request's turn; undefined when it may run at once. Rejects with
   * ClientGone when the connection ended before.
   */
  turn({ socket }: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    const before = this.#last.get(socket);
    this.#last.set(socket, response);
    if (before === undefined || before.writableFinished) return undefined;
    return new Promise((resolve, reject) => {
      before.once("close", () => (socket.destroyed ? reject(new ClientGone()) : resolve()));
    });
  }
}
