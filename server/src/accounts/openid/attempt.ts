import { randomBytes } from "node:crypto";
import type { Sealing } from "../../ground/sealing.ts";

/**
 * A sign-in that a browser has begun. The browser keeps it, sealed, in a cookie: a provider's reply
 * is accepted from that browser alone, and requests of strangers store nothing.
 */
export interface Attempt {
  organizationId: string;
  /** Revision of the sign-on settings with which the attempt began. */
  revision: number;
  state: string;
  nonce: string;
  /** PKCE verifier, shown to the provider at the end. */
  verifier: string;
  next: string | undefined;
  expiresAtMs: number;
}

const context = "a sign-in by an identity provider";

export function newAttempt(
  begun: Pick<Attempt, "organizationId" | "revision" | "next" | "expiresAtMs">,
): Attempt {
  const random = () => randomBytes(32).toString("base64url");
  return { ...begun, state: random(), nonce: random(), verifier: random() };
}

export function sealAttempt(sealing: Sealing, attempt: Attempt): string {
  return Buffer.from(sealing.seal(JSON.stringify(attempt), context)).toString("base64url");
}

/** Opens a sealed attempt; undefined when it was sealed by another service or has expired. */
export function openAttempt(sealing: Sealing, text: string, nowMs: number): Attempt | undefined {
  let opened: string;
  try {
    opened = sealing.open(new Uint8Array(Buffer.from(text, "base64url")), context);
  } catch {
    return undefined;
  }
  const attempt = JSON.parse(opened) as Attempt;
  return attempt.expiresAtMs > nowMs ? attempt : undefined;
}
