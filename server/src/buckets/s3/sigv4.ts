import { createHmac, hash } from "node:crypto";
import { isIP } from "node:net";
import { attachmentOf } from "../../ground/attachment.ts";
import type { ObjectToRead, Signed } from "../bucket.ts";

export interface SigningSettings {
  /** An origin: `https://s3.example.com`, without a slash at its end. */
  endpoint: string;
  bucket: string;
  signingRegion: string;
  /** The bucket in the path; otherwise in the host name, where that is possible. */
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
  /** A temporary session has one; it comes along in every address. */
  sessionToken?: string | undefined;
}

export interface RequestToSign {
  method: "GET" | "PUT";
  key: string;
  query?: Readonly<Record<string, string>>;
  /** Length of the body, signed as a header: a body of another length is refused. */
  contentLength?: number;
}

/**
 * Returns the request for a read. The store takes a header of its reply from the address, which is
 * signed with it.
 */
export function requestToRead({ key, fileName }: ObjectToRead): RequestToSign {
  if (fileName === undefined) return { method: "GET", key };
  const query = { "response-content-disposition": attachmentOf(fileName) };
  return { method: "GET", key, query };
}

/** Maximal lifetime under Signature Version 4: seven days. */
export const addressLifetimeMsMax = 604_800_000;

/**
 * Addresses that carry their own signature (AWS Signature Version 4, query form). Works on texts
 * alone: a URL parser would collapse `..` in a key before it is signed, and so write outside of its
 * prefix.
 */
export class AddressSigner {
  readonly #settings: SigningSettings;
  readonly #origin: string;
  readonly #host: string;
  /** Path before the key: `/` or `/bucket/`. */
  readonly #path: string;
  #dayKey: { scope: string; key: Buffer } | undefined;

  constructor(settings: SigningSettings) {
    this.#settings = settings;
    const [scheme = "", authority = ""] = settings.endpoint.split("://");
    const isHosted = !settings.pathStyle && isHostable(settings.bucket, scheme, authority);
    this.#host = isHosted ? `${settings.bucket}.${authority}` : authority;
    this.#path = isHosted ? "/" : `/${encode(settings.bucket)}/`;
    this.#origin = `${scheme}://${this.#host}`;
  }

  /** Addresses that are valid from `nowMs` on, in the order of the requests, and when they end. */
  sign(requests: Iterable<RequestToSign>, nowMs: number, lifetimeMs: number): Signed<string> {
    const seconds = Math.floor(Math.min(lifetimeMs, addressLifetimeMsMax) / 1000);
    if (!(seconds >= 1)) throw new Error(`BUG: lifetime of an address got ${lifetimeMs}`);
    const signedAtMs = Math.floor(nowMs / 1000) * 1000;
    const date = new Date(signedAtMs).toISOString().replaceAll(/[-:]|\.000/g, "");
    const scope = `${date.slice(0, 8)}/${this.#settings.signingRegion}/s3/aws4_request`;
    const terms = {
      head: `${algorithm}\n${date}\n${scope}\n`,
      key: this.#keyOf(scope),
      bareQuery: this.#commonQuery(scope, date, seconds, "host"),
      lengthQuery: this.#commonQuery(scope, date, seconds, "content-length;host"),
    };
    const addresses = [];
    for (const request of requests) addresses.push(this.#signOne(request, terms));
    return { addresses, expiresAtMs: signedAtMs + seconds * 1000 };
  }

  #signOne(request: RequestToSign, terms: Terms): string {
    const { method, contentLength } = request;
    const path = this.#path + encodeKey(request.key);
    const common = contentLength === undefined ? terms.bareQuery : terms.lengthQuery;
    const query = common + ownQuery(request);
    const headers =
      contentLength === undefined
        ? `host:${this.#host}\n\nhost`
        : `content-length:${contentLength}\nhost:${this.#host}\n\ncontent-length;host`;
    const canonical = `${method}\n${path}\n${query}\n${headers}\n${unsigned}`;
    const toSign = terms.head + hash("sha256", canonical);
    const signature = createHmac("sha256", terms.key).update(toSign).digest("hex");
    return `${this.#origin}${path}?${query}&X-Amz-Signature=${signature}`;
  }

  /**
   * Returns the part of the query common to a batch; every name in it sorts before those in small
   * letters.
   */
  #commonQuery(scope: string, date: string, seconds: number, signedHeaders: string): string {
    const { accessKeyId, sessionToken } = this.#settings;
    const token = sessionToken === undefined ? "" : `&X-Amz-Security-Token=${encode(sessionToken)}`;
    return (
      `X-Amz-Algorithm=${algorithm}&X-Amz-Content-Sha256=${unsigned}` +
      `&X-Amz-Credential=${encode(`${accessKeyId}/${scope}`)}&X-Amz-Date=${date}` +
      `&X-Amz-Expires=${seconds}${token}&X-Amz-SignedHeaders=${encode(signedHeaders)}`
    );
  }

  /** The signing key of a day and region. */
  #keyOf(scope: string): Buffer {
    if (this.#dayKey?.scope !== scope) {
      const key = scope
        .split("/")
        .reduce<string | Buffer>(
          (last, text) => createHmac("sha256", last).update(text).digest(),
          `AWS4${this.#settings.secretAccessKey}`,
        );
      this.#dayKey = { scope, key: key as Buffer };
    }
    return this.#dayKey.key;
  }
}

interface Terms {
  head: string;
  key: Buffer;
  bareQuery: string;
  lengthQuery: string;
}

const algorithm = "AWS4-HMAC-SHA256";
const unsigned = "UNSIGNED-PAYLOAD";

/** Returns the request's own parameters, which follow the common ones. */
function ownQuery({ query = {} }: RequestToSign): string {
  let text = "";
  for (const name of Object.keys(query).sort()) {
    if (!/^[a-z]/.test(name)) throw new Error(`BUG: name in a signed query got ${name}`);
    text += `&${name}=${encode(query[name])}`;
  }
  return text;
}

/** Encodes by RFC 3986: everything but `A-Za-z0-9-._~`. */
export function encode(text: string): string {
  if (/^[A-Za-z0-9._~-]*$/.test(text)) return text;
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function encodeKey(key: string): string {
  return /^[A-Za-z0-9._~/-]*$/.test(key) ? key : key.split("/").map(encode).join("/");
}

/**
 * Whether the bucket can stand in the host name, as the SDK decides it: not before an IP address,
 * and with dots in it only where no certificate has to match.
 */
function isHostable(bucket: string, scheme: string, authority: string): boolean {
  const hostname = authority.replace(/:\d+$/, "");
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return false;
  const label = /^[a-z0-9]([a-z0-9-]{1,61})[a-z0-9]$/;
  const labels = scheme === "http" ? bucket.split(".") : [bucket];
  return labels.every((one) => label.test(one)) && isIP(bucket) === 0;
}
