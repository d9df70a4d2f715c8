import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";

/** Retention after the end: long enough to answer questions; the audit log keeps the rest. */
const keptMs = 30 * 24 * 60 * 60 * 1_000;

/**
 * Statements that delete unusable rows; rows that refer to grants first. $1: ended before; $2:
 * limit.
 */
const forgetting = [
  `DELETE FROM session WHERE hash IN
     (SELECT hash FROM session WHERE expires_at_ms < $1 LIMIT $2)`,
  `DELETE FROM invitation WHERE id IN
     (SELECT id FROM invitation WHERE expires_at_ms < $1 OR ended_at_ms < $1 LIMIT $2)`,
  `DELETE FROM personal_token WHERE id IN
     (SELECT id FROM personal_token WHERE expires_at_ms < $1 OR ended_at_ms < $1 LIMIT $2)`,
  `DELETE FROM guest_link_experiment WHERE link IN
     (SELECT id FROM guest_link WHERE expires_at_ms < $1 OR ended_at_ms < $1 LIMIT $2)`,
  `DELETE FROM guest_link WHERE id IN
     (SELECT id FROM guest_link WHERE (expires_at_ms < $1 OR ended_at_ms < $1) AND NOT EXISTS
       (SELECT 1 FROM guest_link_experiment WHERE link = guest_link.id) LIMIT $2)`,
  `DELETE FROM oauth_token WHERE hash IN
     (SELECT hash FROM oauth_token WHERE expires_at_ms < $1
       OR oauth_grant IN (SELECT id FROM oauth_grant WHERE ended_at_ms < $1) LIMIT $2)`,
  `DELETE FROM oauth_code WHERE hash IN
     (SELECT hash FROM oauth_code WHERE expires_at_ms < $1 LIMIT $2)`,
  `DELETE FROM oauth_device WHERE hash IN
     (SELECT hash FROM oauth_device WHERE expires_at_ms < $1 LIMIT $2)`,
  // Without a token, a code and a device, a grant is of no use, ended or not.
  `DELETE FROM oauth_grant WHERE id IN
     (SELECT id FROM oauth_grant AS ended WHERE created_at_ms < $1 AND (ended_at_ms IS NULL OR ended_at_ms < $1)
       AND NOT EXISTS (SELECT 1 FROM oauth_token WHERE oauth_token.oauth_grant = ended.id)
       AND NOT EXISTS (SELECT 1 FROM oauth_code WHERE oauth_code.oauth_grant = ended.id)
       AND NOT EXISTS (SELECT 1 FROM oauth_device WHERE oauth_device.oauth_grant = ended.id) LIMIT $2)`,
];

/**
 * `people.forgetEnded`: removes sessions, links, personal tokens and sign-ins of the command line
 * some time after their end, at most `limit` of each kind. Returns the number of the kind with the
 * most: where it equals `limit`, there may be more.
 */
export async function forgetEnded(
  transaction: Transaction,
  { limit }: { limit: number },
  { nowMs }: Moment,
): Promise<number> {
  let most = 0;
  for (const sql of forgetting) {
    most = Math.max(most, await transaction.run(sql, nowMs - keptMs, limit));
  }
  return most;
}
