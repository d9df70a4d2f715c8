import { limits } from "@lossless/protocol/limits";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { newId } from "../../../ground/ids.ts";

/**
 * Why a grant ended, for the audit log. A secret shown twice is known to two clients: both lose it.
 */
export type GrantEnd =
  | "revoked"
  | "too_many"
  | "code_reused"
  | "wrong_redirect_uri"
  | "wrong_code_verifier"
  | "refresh_token_reused"
  | "device_code_reused";

/**
 * Stores a person's consent for one command line. All later tokens belong to this row and act no
 * further than the session that consented. The caller has locked the person.
 */
export async function createGrant(
  transaction: Transaction,
  input: { personId: string; sessionHash: Uint8Array; flow: "code" | "device"; address: string },
  moment: Moment,
): Promise<string> {
  const { personId, flow, address } = input;
  await removeDeadTokens(transaction, personId, moment);
  await endOldest(transaction, { personId, address }, moment);
  const grantId = newId(moment.nowMs);
  await transaction.run(
    `INSERT INTO oauth_grant (id, person, created_at_ms, only_organization)
     VALUES ($1, $2, $3, (SELECT only_organization FROM session WHERE hash = $4))`,
    grantId,
    personId,
    moment.nowMs,
    input.sessionHash,
  );
  const entry = { organizationId: null, actor: personId, address, subject: grantId };
  await audit(transaction, { ...entry, action: "grant.created", details: { flow } }, moment);
  return grantId;
}

/** Makes room for one more live grant: one with a token, or young enough to be issued one. */
async function endOldest(
  transaction: Transaction,
  { personId, address }: { personId: string; address: string },
  moment: Moment,
): Promise<void> {
  const { nowMs } = moment;
  const surplus = await transaction.all<{ id: string }>(
    `SELECT id FROM oauth_grant AS living WHERE person = $1 AND ended_at_ms IS NULL AND (created_at_ms > $2
       OR EXISTS (SELECT 1 FROM oauth_token WHERE oauth_token.oauth_grant = living.id AND expires_at_ms > $3))
     ORDER BY created_at_ms DESC, id LIMIT 1000 OFFSET $4`,
    personId,
    nowMs - limits.deviceCodeLifetimeMs,
    nowMs,
    limits.grantsPerPersonMax - 1,
  );
  for (const { id: grantId } of surplus) {
    await endGrant(transaction, { grantId, actor: "service", address, reason: "too_many" }, moment);
  }
}

/** Ends a grant for every later request. A grant that has ended is left as it is. */
export async function endGrant(
  transaction: Transaction,
  input: Actor & { grantId: string; reason: GrantEnd },
  moment: Moment,
): Promise<void> {
  const { grantId, reason, actor, address } = input;
  const ended = await transaction.run(
    "UPDATE oauth_grant SET ended_at_ms = $2 WHERE id = $1 AND ended_at_ms IS NULL",
    grantId,
    moment.nowMs,
  );
  if (ended === 0) return;
  const entry = { organizationId: null, actor, address, subject: grantId };
  await audit(transaction, { ...entry, action: "grant.ended", details: { reason } }, moment);
}

export async function isLiveGrant(reader: Reader, grantId: string): Promise<boolean> {
  const row = await reader.get(
    "SELECT id FROM oauth_grant WHERE id = $1 AND ended_at_ms IS NULL",
    grantId,
  );
  return row !== undefined;
}

/**
 * Removes tokens that will not be compared any more. Runs at every sign-in, so that the table grows
 * only with use.
 */
async function removeDeadTokens(
  transaction: Transaction,
  personId: string,
  { nowMs }: Moment,
): Promise<void> {
  const grants = "SELECT id FROM oauth_grant WHERE person = $1";
  await transaction.run(
    `DELETE FROM oauth_token WHERE oauth_grant IN (${grants})
     AND (expires_at_ms <= $2 OR oauth_grant IN (${grants} AND ended_at_ms IS NOT NULL))`,
    personId,
    nowMs,
  );
}
