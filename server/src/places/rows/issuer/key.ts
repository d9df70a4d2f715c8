import type { Reader } from "../../../database/database.ts";

/**
 * next: published, not signing yet. active: signs. retired: its private half is deleted, and it is
 * published until long after the last of its tokens has expired.
 */
export type KeyState = "next" | "active" | "retired";

/** A public key with the members that clouds accept, no other of a JWK (Google refuses `x5c`). */
export interface PublicKey {
  kty: "RSA";
  n: string;
  e: string;
}

/** A key that was just made. Its private half is sealed for its id. */
export interface NewKey {
  id: string;
  publicKey: PublicKey;
  sealedKey: Uint8Array;
}

export interface IssuerKey {
  /** The `kid` of tokens. */
  id: string;
  state: KeyState;
  publicKey: PublicKey;
  createdAtMs: number;
  /** Time of the last change of state; of the next key: when it was published. */
  changedAtMs: number;
  /**
   * The sealed private key, which only the active key has; it never leaves the process in any form.
   */
  sealedKey: Uint8Array | null;
}

/** Context for Sealing: a private key copied to another row does not open (T63). */
export function issuerKeyContext(id: string): string {
  return `issuer key ${id}`;
}

/** Time that a retired key stays published; far longer than the life of any token. */
export const retiredPublishedMs = 24 * 60 * 60_000;

/** Life of a token from `iat` to `exp`. */
export const tokenLifeMs = 10 * 60_000;

/** `issuer.keys`: oldest first; those too that are published no more and not yet forgotten. */
export async function readKeys(
  reader: Reader,
  _input: Record<string, never>,
): Promise<IssuerKey[]> {
  const rows = await reader.all<Omit<IssuerKey, "publicKey"> & { publicKey: string }>(
    `SELECT id, state, public_key AS "publicKey", created_at_ms AS "createdAtMs", changed_at_ms AS "changedAtMs",
       CASE WHEN state = 'active' THEN sealed_key END AS "sealedKey"
     FROM issuer_key ORDER BY created_at_ms, id`,
  );
  return rows.map((row) => ({ ...row, publicKey: JSON.parse(row.publicKey) as PublicKey }));
}

/** Whether verifiers have to find it in the published set. */
export function isPublished(
  { state, changedAtMs }: Pick<IssuerKey, "state" | "changedAtMs">,
  nowMs: number,
): boolean {
  return state !== "retired" || nowMs - changedAtMs < retiredPublishedMs;
}
