import { randomBytes } from "node:crypto";
import type { Sealing } from "../../ground/sealing.ts";

/**
 * A sign-in that a browser has begun. The browser keeps it, sealed, in a cookie, so that what comes
 * back from a provider counts in that browser alone, and a stranger's requests store nothing.
 */
export interface Attempt {
  organizationId: string;
  /** The settings with which it began had this one. */
  revision: number;
  state: string;
  nonce: string;
  /** PKCE shows it to the provider at the end. */
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

/** Undefined: another one made it, or it has ended. */
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
