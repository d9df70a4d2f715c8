import { endpoints } from "@lossless/protocol";
import { gather } from "../../ground/gather.ts";
import type { IssuerKey } from "../rows/issuer/key.ts";

/** The issuer's two documents are not there, or are another issuer's. The sentence says which. */
export class NotPublished extends Error {
  override name = "NotPublished";
}

const deadlineMs = 10_000;
const bytesMax = 65_536;

/**
 * The compared parts of a key: one with the same id and another modulus verifies none of our
 * tokens.
 */
export interface PublishedKey {
  kid: unknown;
  n: unknown;
  e: unknown;
}

/**
 * The keys that verifiers find now at the issuer's address: discovery document first, then the set
 * that it names, as a cloud does it. The address is the operator's own (`--issuer-url`). Rejects
 * with NotPublished.
 */
export async function publishedKeys(
  issuerUrl: string,
  stopped: AbortSignal,
): Promise<PublishedKey[]> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(deadlineMs)]);
  const address = issuerUrl + endpoints.readIssuer.path;
  const configuration = await fetchObject(address, signal);
  if (configuration["issuer"] !== issuerUrl) {
    throw new NotPublished(`${address} is not the document of the issuer ${issuerUrl}`);
  }
  const keysAddress = configuration["jwks_uri"];
  if (typeof keysAddress !== "string" || !isSameScheme(keysAddress, issuerUrl)) {
    throw new NotPublished(`${address} names no address of keys`);
  }
  const { keys } = await fetchObject(keysAddress, signal);
  if (!Array.isArray(keys)) throw new NotPublished(`${keysAddress} is not a set of keys`);
  return keys.map((key: Partial<PublishedKey> | null) => {
    return { kid: key?.kid, n: key?.n, e: key?.e };
  });
}

/** Whether a verifier that finds these keys accepts signatures of `key`. */
export function isAmong(
  published: readonly PublishedKey[],
  { id, publicKey }: Pick<IssuerKey, "id" | "publicKey">,
): boolean {
  return published.some(({ kid, n, e }) => kid === id && n === publicKey.n && e === publicKey.e);
}

function isSameScheme(address: string, issuerUrl: string): boolean {
  return URL.parse(address)?.protocol === new URL(issuerUrl).protocol;
}

async function fetchObject(address: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  let text: string;
  try {
    // Clouds need not follow redirects, so the service does not.
    const reply = await fetch(address, { signal, redirect: "error" });
    if (reply.status !== 200) throw new NotPublished(`${address} answers ${reply.status}`);
    const body = await gather(reply.body ?? [], bytesMax);
    if (body === undefined) {
      throw new NotPublished(`${address} is larger than ${bytesMax} bytes`);
    }
    text = body.toString();
  } catch (error) {
    if (error instanceof NotPublished) throw error;
    throw new NotPublished(`${address} cannot be fetched`, { cause: error });
  }
  const value = parsed(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new NotPublished(`${address} is not a JSON document`);
  }
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
