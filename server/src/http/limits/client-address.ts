import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { listOfRanges } from "../../ground/address-ranges.ts";

/**
 * Determines the sender of a request: the peer of the connection, or, when that is a trusted proxy,
 * the last address of `X-Forwarded-For` that is not one. Addresses before it may be forged. Without
 * trusted proxies the header means nothing (T23); `X-Forwarded-Host` and `-Proto` never do.
 */
export class ClientAddresses {
  readonly #isTrusted: (address: string) => boolean;

  constructor(trustedProxies: readonly string[]) {
    const list = listOfRanges(trustedProxies);
    this.#isTrusted =
      trustedProxies.length === 0
        ? () => false
        : (address) => list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
  }

  /** Returns the peer of a connection; the address is empty when the peer is gone already. */
  peerOf({ remoteAddress = "" }: Pick<Socket, "remoteAddress">): {
    address: string;
    isProxy: boolean;
  } {
    const address = plainAddress(remoteAddress) ?? "";
    return { address, isProxy: address !== "" && this.#isTrusted(address) };
  }

  of({ socket, headers }: Pick<IncomingMessage, "socket" | "headers">): string {
    const peer = this.peerOf(socket);
    let { address } = peer;
    if (!peer.isProxy) return address;
    const header = headers["x-forwarded-for"];
    const entries = (typeof header === "string" ? header : "").split(",").slice(-hopsMax);
    for (const entry of entries.reverse()) {
      const before = plainAddress(entry.trim());
      // Not an address ("unknown", a name): the proxy that added it is the last known one.
      if (before === undefined) return address;
      address = before;
      if (!this.#isTrusted(address)) return address;
    }
    return address;
  }
}

/** Addresses read of the header: no chain of proxies is longer, but a header can be. */
const hopsMax = 32;

/**
 * Returns the unit that counts as one sender: an IPv4 address, or the /64 of an IPv6 address, which
 * its owner holds whole.
 */
export function senderOf(address: string): string {
  const groups = isIP(address) === 6 ? leadingGroups(address) : undefined;
  return groups === undefined ? address : `${groups.join(":")}::/64`;
}

/**
 * Returns an address without port, brackets and zone; an IPv4 address that came through an IPv6
 * socket in its own form.
 */
function plainAddress(text: string): string | undefined {
  const match = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text);
  const [address] = (match === null ? text : (match[1] ?? match[2] ?? "")).split("%");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return isIP(mapped) === 0 ? undefined : mapped;
}

function leadingGroups(address: string): string[] | undefined {
  const hostname = URL.parse(`http://[${address}]/`)?.hostname;
  if (hostname === undefined) return undefined;
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [left, right] = hostname.slice(1, -1).split("::").map(groups);
  if (right === undefined) return left.slice(0, 4);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4);
}
