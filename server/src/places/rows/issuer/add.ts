import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import type { KeyState, NewKey } from "./key.ts";

/**
 * `issuer.add`: adds the first keys of an installation and returns those taken. A key is discarded
 * when another node was faster: two nodes may make keys at once, and both read the same ones
 * afterwards.
 */
export async function addKeys(
  transaction: Transaction,
  { active, next, by }: { active: NewKey; next: NewKey; by: Actor },
  moment: Moment,
): Promise<string[]> {
  const taken: string[] = [];
  for (const [state, key] of [
    ["active", active],
    ["next", next],
  ] as const) {
    if (!(await insertKey(transaction, key, state, moment))) continue;
    taken.push(key.id);
    const entry = { ...by, organizationId: null, action: "issuer.keyAdded", subject: key.id };
    await audit(transaction, { ...entry, details: { state } }, moment);
  }
  return taken;
}

/**
 * Inserts a key; false when one has this state: the unique index decides, after the other node's
 * commit.
 */
export async function insertKey(
  transaction: Transaction,
  { id, publicKey, sealedKey }: NewKey,
  state: Exclude<KeyState, "retired">,
  { nowMs }: Moment,
): Promise<boolean> {
  const inserted = await transaction.run(
    `INSERT INTO issuer_key (id, state, public_key, sealed_key, created_at_ms, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING`,
    id,
    state,
    JSON.stringify(publicKey),
    sealedKey,
    nowMs,
  );
  return inserted > 0;
}
