import type { Socket } from "node:net";
import type { Figures } from "../../ground/figures/figures.ts";
import { ServiceError } from "../../ground/errors.ts";
import { FairShares, type Share } from "../../ground/fair-shares.ts";
import { type ClientAddresses, senderOf } from "./client-address.ts";

/**
 * Shares out the connections that the service may have open: by network address until one has
 * carried a valid credential, then by the organization of its last one. So neither a stranger nor a
 * member takes all. Connections from a trusted proxy are for the proxy to bound: they may carry
 * requests of any client.
 */
export class ConnectionShares {
  readonly #shares: FairShares;
  readonly #addresses: ClientAddresses;
  readonly #figures: Figures;
  readonly #shareOf = new WeakMap<Socket, Share>();
  readonly #strangers = new Set<Socket>();

  constructor(maxConnections: number, addresses: ClientAddresses, figures: Figures) {
    this.#shares = new FairShares(maxConnections);
    this.#addresses = addresses;
    this.#figures = figures;
  }

  /** Connections that have carried no valid credential. */
  get strangers(): number {
    return this.#strangers.size;
  }

  /** Admits a new connection, or closes it at once when its address has too many. */
  admit(socket: Socket): void {
    const { address, isProxy } = this.#addresses.peerOf(socket);
    if (isProxy || address === "") return;
    const share = this.#shares.take(senderOf(address));
    if (share === undefined) {
      this.#figures.connectionsRefused.add(1, "address");
      socket.destroy();
      return;
    }
    this.#shareOf.set(socket, share);
    this.#strangers.add(socket);
    socket.once("close", () => {
      share[Symbol.dispose]();
      this.#strangers.delete(socket);
    });
  }

  /**
   * Counts the connection for the holder of a valid credential that it carried. One too many is
   * `overloaded`.
   */
  recognize(socket: Socket, holder: string): void {
    const share = this.#shareOf.get(socket);
    if (share === undefined) return;
    if (share.moveTo(holder)) {
      this.#strangers.delete(socket);
      return;
    }
    this.#figures.connectionsRefused.add(1, "organization");
    throw new ServiceError(
      "overloaded",
      "Too many connections of the organization are open; this one is closed. Close some, or try again.",
      { closesConnection: true },
    );
  }
}
