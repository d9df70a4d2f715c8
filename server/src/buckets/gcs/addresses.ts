import { hash } from "node:crypto";
import type { Signed } from "../bucket.ts";
import { encode, encodeKey, type RequestToSign } from "../s3/sigv4.ts";

/** Signs with the private key of an account, which is at Google and stays there: one call each. */
export interface RemoteSigner {
  /** Name of the service account, as in addresses. */
  account: string;
  /** RSA with SHA-256 (PKCS #1 v1.5) of the text. */
  sign(text: string, signal: AbortSignal): Promise<Buffer>;
}

export interface GcsTarget {
  /** An origin, without a slash at its end. */
  endpoint: string;
  bucket: string;
}

/**
 * Maximal lifetime of addresses. Seven days are allowed, but a `signBlob` key is only promised to
 * stay valid for twelve hours.
 */
export const gcsLifetimeMsMax = 12 * 3_600_000;
const signaturesAtOnce = 32;

/**
 * Addresses that carry their own signature (Google's V4, `GOOG4-RSA-SHA256`, path style), in the
 * order of the requests. Works on texts alone, as AddressSigner does, and for the same reason. The
 * first refusal ends the rest.
 */
export async function gcsAddresses(
  target: GcsTarget,
  signer: RemoteSigner,
  requests: readonly RequestToSign[],
  { nowMs, lifetimeMs, deadline }: { nowMs: number; lifetimeMs: number; deadline: AbortSignal },
): Promise<Signed<string>> {
  const seconds = Math.floor(Math.min(lifetimeMs, gcsLifetimeMsMax) / 1000);
  if (!(seconds >= 1)) throw new Error(`BUG: lifetime of an address got ${lifetimeMs}`);
  const signedAtMs = Math.floor(nowMs / 1000) * 1000;
  const date = new Date(signedAtMs).toISOString().replaceAll(/[-:]|\.000/g, "");
  const moment = { date, seconds, account: signer.account };
  const addresses: string[] = [];
  const failed = new AbortController();
  const signal = AbortSignal.any([deadline, failed.signal]);
  const waiting = requests.entries();
  const worker = async () => {
    for (const [index, request] of waiting) {
      if (signal.aborted) return;
      const { address, toSign } = unsigned(target, request, moment);
      const signature = await signer.sign(toSign, signal);
      addresses[index] = `${address}&X-Goog-Signature=${signature.toString("hex")}`;
    }
  };
  try {
    const count = Math.min(signaturesAtOnce, requests.length);
    await Promise.all(Array.from({ length: count }, worker));
  } finally {
    failed.abort();
  }
  deadline.throwIfAborted();
  return { addresses, expiresAtMs: signedAtMs + seconds * 1000 };
}

interface SigningMoment {
  date: string;
  seconds: number;
  account: string;
}

function unsigned(
  { endpoint, bucket }: GcsTarget,
  { method, key, query = {}, contentLength }: RequestToSign,
  { date, seconds, account }: SigningMoment,
): { address: string; toSign: string } {
  const scope = `${date.slice(0, 8)}/auto/storage/goog4_request`;
  const path = `/${encode(bucket)}/${encodeKey(key)}`;
  const host = `host:${endpoint.split("://")[1] ?? ""}\n`;
  const [headers, names] =
    contentLength === undefined
      ? [host, "host"]
      : [`content-length:${contentLength}\n${host}`, "content-length;host"];
  const parameters = {
    "X-Goog-Algorithm": algorithm,
    "X-Goog-Credential": `${account}/${scope}`,
    "X-Goog-Date": date,
    "X-Goog-Expires": String(seconds),
    "X-Goog-SignedHeaders": names,
    ...query,
  };
  // Capitals sort before small letters, as the signature wants it.
  const text = Object.entries(parameters)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join("&");
  const canonical = `${method}\n${path}\n${text}\n${headers}\n${names}\nUNSIGNED-PAYLOAD`;
  const toSign = `${algorithm}\n${date}\n${scope}\n${hash("sha256", canonical)}`;
  return { address: `${endpoint}${path}?${text}`, toSign };
}

const algorithm = "GOOG4-RSA-SHA256";
