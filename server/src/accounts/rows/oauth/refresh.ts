import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { endGrant, isLiveGrant } from "./grant.ts";
import { issuePair, type Redemption } from "./token-pair.ts";

/**
 * Exchanges a refresh token for the next pair, once. A token shown again ends the grant and with it
 * every token of the sign-in: either the old or the new pair is in wrong hands, and the service
 * cannot tell which. There is no grace for a client whose reply was lost, because a thief would
 * have it too: that client signs in again.
 */
export async function refreshPair(
  transaction: Transaction,
  { tokenHash, address }: { tokenHash: Uint8Array; address: string },
  moment: Moment,
): Promise<Redemption> {
  const row = await transaction.get<{
    oauth_grant: string;
    expires_at_ms: number;
    used_at_ms: number | null;
  }>(
    `SELECT oauth_grant, expires_at_ms, used_at_ms FROM oauth_token
     WHERE hash = $1 AND kind = 'refresh'${transaction.forUpdate}`,
    tokenHash,
  );
  if (row === undefined) return { refusal: "invalid_grant" };
  const { oauth_grant: grantId } = row;
  if (row.used_at_ms !== null) {
    const end = { grantId, actor: "service", address };
    await endGrant(transaction, { ...end, reason: "refresh_token_reused" }, moment);
    return { refusal: "invalid_grant" };
  }
  const isLive = row.expires_at_ms > moment.nowMs && (await isLiveGrant(transaction, grantId));
  if (!isLive) return { refusal: "invalid_grant" };
  await transaction.run(
    "UPDATE oauth_token SET used_at_ms = $2 WHERE hash = $1",
    tokenHash,
    moment.nowMs,
  );
  return issuePair(transaction, grantId, moment);
}
