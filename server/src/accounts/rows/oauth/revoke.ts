import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { endGrant } from "./grant.ts";

/**
 * Ends the sign-in of an access or refresh token. An unknown token counts as ended (RFC 7009 2.2).
 */
export async function revokeGrant(
  transaction: Transaction,
  { tokenHash, address }: { tokenHash: Uint8Array; address: string },
  moment: Moment,
): Promise<void> {
  const row = await transaction.get<{ oauth_grant: string; person: string }>(
    `SELECT oauth_token.oauth_grant, oauth_grant.person FROM oauth_token
     JOIN oauth_grant ON oauth_grant.id = oauth_token.oauth_grant WHERE oauth_token.hash = $1`,
    tokenHash,
  );
  if (row === undefined) return;
  const { oauth_grant: grantId, person } = row;
  await endGrant(transaction, { grantId, actor: person, address, reason: "revoked" }, moment);
}
