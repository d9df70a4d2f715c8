import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { endpoints } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

export interface ServedAddresses {
  baseUrl: string | undefined;
  altBaseUrl: string | undefined;
  /** The listen address. */
  host: string;
  port: number;
}

/** Headers whose repetition could mean one thing to us and another to a proxy in front of us. */
const onceOnly = new Set([
  "host",
  "authorization",
  "content-type",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

/** Paths for any host: probes reach a node under any name, and the reply discloses nothing. */
const anyHostPaths: ReadonlySet<string> = new Set([endpoints.healthz.path, endpoints.readyz.path]);

/**
 * Refuses requests that Node's parser lets pass (T07, T23, T36, T50): repeated headers, foreign
 * hosts, strange request targets, TRACE and CONNECT. Works on the raw headers, because Node shows
 * only the first of two.
 */
export class Guards {
  readonly #addresses: () => ServedAddresses;
  #served: ServedNames | undefined;
  #listening: ServedNames | undefined;

  /** `addresses` is called at the first request, when the port is known. */
  constructor(addresses: () => ServedAddresses) {
    this.#addresses = addresses;
  }

  /** Throws a ServiceError when the request must not go further. */
  check(request: IncomingMessage): void {
    if (request.method === "TRACE" || request.method === "CONNECT") {
      throw new ServiceError("method_not_allowed", `${request.method} is not accepted here.`, {
        allow: "GET, HEAD, POST",
      });
    }
    // The parser accepts 0.9, whose replies have no head, and 2.0, which has another form.
    if (!/^1\.[01]$/.test(request.httpVersion)) {
      throw invalid("This service speaks HTTP/1.1 and HTTP/1.0.");
    }
    refuseRepeated(request.rawHeaders);
    const url = request.url ?? "";
    if (/^https?:\/\//i.test(url)) throw misdirected();
    checkTarget(url);
    if (anyHostPaths.has(url.split("?", 1)[0])) return;
    const { host, "transfer-encoding": transfer } = request.headers;
    if (transfer !== undefined && transfer.trim().toLowerCase() !== "chunked") {
      throw invalid("The only transfer-encoding accepted is chunked.");
    }
    if (host === undefined || host === "") throw invalid("The Host header is missing.");
    if (!this.serves(host)) throw misdirected();
  }

  /** Returns the path of an absolute-form target that names us; any other target unchanged. */
  path(url: string): string {
    const match = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
    if (match === null || !this.serves(match[1])) return url;
    return match[2].startsWith("/") ? match[2] : `/${match[2]}`;
  }

  /**
   * Whether an `Origin` header names one of our addresses: pages of others may not act with our
   * cookies. Besides the configured addresses that is the address of this very request: a service
   * that listens on all addresses cannot tell its own literal addresses from those of others.
   */
  isOwnOrigin(origin: string, host: string | undefined): boolean {
    const { baseUrl, altBaseUrl } = this.#addresses();
    const isNamed = [baseUrl, altBaseUrl].some(
      (one) => one !== undefined && new URL(one).origin === origin,
    );
    if (isNamed) return true;
    // The listen address speaks plain HTTP.
    return (
      host !== undefined &&
      origin.toLowerCase() === `http://${host.toLowerCase()}` &&
      this.#listensAs(host)
    );
  }

  #listensAs(host: string): boolean {
    this.#listening ??= servedNames({
      ...this.#addresses(),
      baseUrl: undefined,
      altBaseUrl: undefined,
    });
    return isAmong(this.#listening, host);
  }

  serves(host: string): boolean {
    this.#served ??= servedNames(this.#addresses());
    return isAmong(this.#served, host);
  }
}

interface ServedNames {
  hosts: ReadonlySet<string>;
  /**
   * Port of a service that listens on every address: any literal address with it is ours, a rebound
   * name never.
   */
  anyAddressPort: number | undefined;
}

function servedNames({ baseUrl, altBaseUrl, host, port }: ServedAddresses): ServedNames {
  const hosts = new Set<string>();
  const add = (name: string, ownPort: number, defaultPort: number) => {
    hosts.add(`${name}:${ownPort}`);
    if (ownPort === defaultPort) hosts.add(name);
  };
  for (const name of ["localhost", "127.0.0.1", "[::1]"]) add(name, port, 80);
  if (!isWildcard(host)) add(isIP(host) === 6 ? `[${host}]` : host.toLowerCase(), port, 80);
  for (const base of [baseUrl, altBaseUrl]) {
    if (base === undefined) continue;
    const { protocol, hostname, port: basePort } = new URL(base);
    const defaultPort = protocol === "https:" ? 443 : 80;
    add(hostname, basePort === "" ? defaultPort : Number(basePort), defaultPort);
  }
  return { hosts, anyAddressPort: isWildcard(host) ? port : undefined };
}

function isAmong({ hosts, anyAddressPort }: ServedNames, host: string): boolean {
  const name = host.toLowerCase();
  if (hosts.has(name)) return true;
  if (anyAddressPort === undefined) return false;
  const match = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d+))?$/.exec(name);
  if (match === null) return false;
  return isIP(match[1] ?? match[2]) !== 0 && Number(match[3] ?? 80) === anyAddressPort;
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function refuseRepeated(rawHeaders: readonly string[]): void {
  let seen: Set<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index].toLowerCase();
    if (!onceOnly.has(name)) continue;
    seen ??= new Set();
    if (seen.has(name)) throw invalid(`The header ${name} is repeated.`);
    seen.add(name);
  }
}

function checkTarget(url: string): void {
  if (!url.startsWith("/") || url.startsWith("//")) {
    throw invalid("The request target must be a path that starts with one slash.");
  }
  if (url.includes("#")) throw invalid("The request target has a fragment.");
  if (!url.includes("%")) return;
  try {
    decodeURIComponent(url);
  } catch {
    throw invalid("The request target has a malformed percent sequence.");
  }
}

function invalid(sentence: string): ServiceError {
  return new ServiceError("invalid_headers", sentence);
}

function misdirected(): ServiceError {
  return new ServiceError(
    "misdirected_request",
    "This service does not answer under the name of the Host header; --base-url and --alt-base-url name it.",
  );
}
