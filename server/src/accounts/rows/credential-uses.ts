import type { Transaction } from "../../database/database.ts";

/** The last use of a credential; the id of a session is its hash in base64. */
export interface CredentialUse {
  kind: keyof typeof statements;
  id: string;
  atMs: number;
}

const statements = {
  api_key:
    "UPDATE api_key SET last_used_at_ms = $2 WHERE id = $1 AND coalesce(last_used_at_ms, 0) < $2",
  session: "UPDATE session SET used_at_ms = $2 WHERE hash = $1 AND coalesce(used_at_ms, 0) < $2",
  oauth: "UPDATE oauth_grant SET used_at_ms = $2 WHERE id = $1 AND coalesce(used_at_ms, 0) < $2",
  personal_token:
    "UPDATE personal_token SET used_at_ms = $2 WHERE id = $1 AND coalesce(used_at_ms, 0) < $2",
  // A use of the token before is none of this one.
  scim: `UPDATE scim_token SET used_at_ms = $2
    WHERE organization = $1 AND created_at_ms <= $2 AND coalesce(used_at_ms, 0) < $2`,
};

/**
 * `credential.used`: records when credentials were last used, for people who clean up; delayed and
 * approximate.
 */
export async function noteCredentialUses(
  transaction: Transaction,
  { uses }: { uses: CredentialUse[] },
): Promise<void> {
  const order = ({ kind, id }: CredentialUse) => `${kind} ${id}`;
  // In one order, so that two nodes do not deadlock.
  for (const { kind, id, atMs } of uses.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))) {
    const key = kind === "session" ? new Uint8Array(Buffer.from(id, "base64")) : id;
    await transaction.run(statements[kind], key, atMs);
  }
}
