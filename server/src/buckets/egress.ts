import { lookup as lookupName } from "node:dns/promises";
import { isIP, type BlockList, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { HttpAgent, HttpsAgent } from "../ground/node-http.ts";
import { classify, innermost, isWithin, rangesOf } from "./egress-ranges.ts";

export interface EgressSettings {
  /** Private CIDR ranges endpoints may point at: `egress.allowPrivate` of the provision file. */
  allowPrivate: readonly string[];
  /**
   * Returns the addresses on which this process listens, the operator's port too: no endpoint may
   * lead back to it.
   */
  ownAddresses: () => readonly OwnAddress[];
  /** Resolves all addresses of a name; the system's resolver unless a test has its own. */
  resolve?: (hostname: string) => Promise<readonly ResolvedAddress[]>;
}

export interface OwnAddress {
  /** The address passed to `listen`: `0.0.0.0` and `::` are all addresses of the machine. */
  address: string;
  port: number;
}

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Thrown for a forbidden address. The message contains neither it nor the addresses of a name. */
export class ForbiddenAddress extends Error {
  override name = "ForbiddenAddress";
}

/**
 * Thrown for a name that does not resolve, or resolves to a forbidden address: telling which would
 * reveal names of the service's network. Like an unknown name it is looked up again.
 */
export class UnusableHost extends Error {
  override name = "UnusableHost";
  readonly code = "ENOTFOUND";
}

/**
 * Policy for connections to endpoints that people may name freely. It is applied when a connection
 * is made: a name is resolved once, all its addresses are judged, and the connection goes to one of
 * those. Nothing is ever sent to an address that did not pass.
 */
export class EgressPolicy {
  readonly #allowed: BlockList;
  readonly #ownAddresses: () => readonly OwnAddress[];
  readonly #resolve: (hostname: string) => Promise<readonly ResolvedAddress[]>;

  constructor({ allowPrivate, ownAddresses, resolve }: EgressSettings) {
    this.#allowed = rangesOf(allowPrivate);
    this.#ownAddresses = ownAddresses;
    this.#resolve = resolve ?? ((hostname) => lookupName(hostname, { all: true }));
  }

  /**
   * Returns the origin in the text, or the rule that it breaks. Does not judge names: that happens
   * when they are resolved.
   */
  checkEndpoint(text: string): { origin: string } | { refusal: string } {
    // A URL parser drops tabs and line breaks, and reads `\` as `/`: such a text differs from its
    // URL.
    if (!/^https?:\/\/[^\s\p{Cc}\\/?#@]+\/?$/iu.test(text) || text.length > endpointCharactersMax)
      return { refusal: "must be an address like https://s3.example.com, without path or user" };
    const url = URL.parse(text);
    if (url === null || url.pathname !== "/" || url.hostname === "")
      return { refusal: "must be an address like https://s3.example.com" };
    const isPlain = url.protocol === "http:";
    const hostname = bare(url.hostname);
    if (isMetadataName(hostname)) return { refusal: "is an address that is never connected to" };
    if (isIP(hostname) !== 0) {
      const port = Number(url.port || (isPlain ? 80 : 443));
      const refusal = this.refusalOf(hostname, port, isPlain);
      if (refusal !== undefined) return { refusal };
    }
    return { origin: url.origin };
  }

  /** Returns why this address must not be connected to; undefined when it may. */
  refusalOf(address: string, port: number, isPlain: boolean): string | undefined {
    const kind = classify(address);
    if (kind === "forbidden" || this.#isOwn(address, port))
      return "is an address that is never connected to";
    if (kind === "private" && !isWithin(this.#allowed, address))
      return "is in a private range that the operator has not allowed (egress.allowPrivate of the provision file)";
    if (isPlain && kind === "public") return "must be https, except in allowed private ranges";
    return undefined;
  }

  /** Returns agents whose every connection is judged. The caller destroys them. */
  agents(): { http: HttpAgent; https: HttpsAgent } {
    const http = new HttpAgent(agentOptions);
    const https = new HttpsAgent(agentOptions);
    for (const agent of [http, https]) this.#guard(agent, agent === http);
    return { http, https };
  }

  #guard(agent: HttpAgent, isPlain: boolean): void {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      const port = Number(options.port);
      const hostname = bare(String(options.host));
      // A literal address is connected to without a look-up.
      const refusal = isIP(hostname) === 0 ? undefined : this.refusalOf(hostname, port, isPlain);
      if (refusal !== undefined || isMetadataName(hostname)) {
        callback?.(new ForbiddenAddress("The endpoint must not be connected to."), null as never);
        return undefined;
      }
      return connect({ ...options, lookup: this.#lookup(port, isPlain) }, callback);
    };
  }

  #lookup(port: number, isPlain: boolean): LookupFunction {
    const answer = async (...[hostname, { all }, callback]: Parameters<LookupFunction>) => {
      const found = await this.#resolveJudged(hostname, port, isPlain).catch(() => []);
      if (found.length === 0) callback(new UnusableHost("The endpoint cannot be used."), []);
      else if (all === true) callback(null, found);
      else callback(null, found[0].address, found[0].family);
    };
    return (...question) => void answer(...question);
  }

  /**
   * Resolves a name; returns no address when one of them is forbidden, since the system chooses
   * which is used.
   */
  async #resolveJudged(
    hostname: string,
    port: number,
    isPlain: boolean,
  ): Promise<ResolvedAddress[]> {
    const found = await this.#resolve(hostname);
    for (const { address } of found) {
      if (isIP(address) === 0 || this.refusalOf(address, port, isPlain) !== undefined) return [];
    }
    return [...found];
  }

  #isOwn(address: string, port: number): boolean {
    const plain = innermost(address);
    return this.#ownAddresses().some((own) => {
      if (own.port !== port) return false;
      const listens = innermost(own.address);
      if (listens === plain) return true;
      return isAny(listens) && (isLoopback(plain) || addressesOfMachine().includes(plain));
    });
  }
}

const endpointCharactersMax = 255;
const agentOptions = { keepAlive: true, maxSockets: 64, maxFreeSockets: 16, timeout: 120_000 };

/** Names under which clouds serve credentials to any caller inside. */
const metadataNames = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "instance-data",
  "instance-data.ec2.internal",
]);

function isMetadataName(hostname: string): boolean {
  return metadataNames.has(hostname.toLowerCase().replace(/\.+$/, ""));
}

/** Returns the name without the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

function isAny(address: string): boolean {
  return address === "0.0.0.0" || address === "::" || address === "";
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

function addressesOfMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => address),
  );
}
