import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { endGrant } from "./grant.ts";

export interface ListedGrant {
  id: string;
  createdAtMs: number;
  /** The end of the grant's last token; each refresh moves it. */
  expiresAtMs: number;
  usedAtMs: number | null;
  device: string | null;
  address: string | null;
}

/**
 * `oauth.list`: the person's live sign-ins of the command line, newest first; with onlyOrganization
 * only those that act there alone.
 */
export async function listGrants(
  reader: Reader,
  { personId, onlyOrganization }: { personId: string; onlyOrganization: string | null },
  { nowMs }: Moment,
): Promise<ListedGrant[]> {
  return reader.all<ListedGrant>(
    `SELECT oauth_grant.id, oauth_grant.created_at_ms AS "createdAtMs", max(oauth_token.expires_at_ms) AS "expiresAtMs",
       oauth_grant.used_at_ms AS "usedAtMs", device, address
     FROM oauth_grant JOIN oauth_token ON oauth_token.oauth_grant = oauth_grant.id
     WHERE oauth_grant.person = $1 AND ended_at_ms IS NULL
       AND oauth_token.expires_at_ms > $2 AND oauth_token.used_at_ms IS NULL
       AND (only_organization = $3 OR $3 IS NULL)
     GROUP BY oauth_grant.id ORDER BY oauth_grant.created_at_ms DESC, oauth_grant.id`,
    personId,
    nowMs,
    onlyOrganization,
  );
}

/**
 * `oauth.endOne`: ends a sign-in of the person; false when the person has no live one with this id.
 */
export async function endListedGrant(
  transaction: Transaction,
  {
    personId,
    onlyOrganization,
    id,
    address,
  }: { personId: string; onlyOrganization: string | null; id: string; address: string },
  moment: Moment,
): Promise<boolean> {
  const row = await transaction.get(
    `SELECT id FROM oauth_grant WHERE id = $1 AND person = $2 AND ended_at_ms IS NULL
       AND (only_organization = $3 OR $3 IS NULL)${transaction.forUpdate}`,
    id,
    personId,
    onlyOrganization,
  );
  if (row === undefined) return false;
  const end = { grantId: id, actor: personId, address, reason: "revoked" as const };
  await endGrant(transaction, end, moment);
  return true;
}
