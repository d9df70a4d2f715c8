import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { organizationsOf } from "./person.ts";

/**
 * Ends a person's sign-ins in an organization to which they no longer belong: sessions and command
 * lines that act there alone, and their tokens; all of them where the person belongs to no other
 * organization. A person signed in by password who belongs to another stays signed in there. Under
 * lockOrganization.
 */
export async function endSignIns(
  transaction: Transaction,
  { organizationId, personId }: { organizationId: string; personId: string },
  { nowMs }: Moment,
): Promise<void> {
  const left = await organizationsOf(transaction, { personId });
  const isAll = left.length === 0 ? 1 : 0;
  await transaction.run(
    "DELETE FROM session WHERE person = $1 AND (only_organization = $2 OR $3 = 1)",
    personId,
    organizationId,
    isAll,
  );
  await transaction.run(
    "UPDATE session SET organization = NULL WHERE person = $1 AND organization = $2",
    personId,
    organizationId,
  );
  await transaction.run(
    `UPDATE oauth_grant SET ended_at_ms = $4 WHERE person = $1 AND ended_at_ms IS NULL
       AND (only_organization = $2 OR $3 = 1)`,
    personId,
    organizationId,
    isAll,
    nowMs,
  );
  await transaction.run(
    `UPDATE personal_token SET ended_at_ms = $3
     WHERE person = $1 AND organization = $2 AND ended_at_ms IS NULL`,
    personId,
    organizationId,
    nowMs,
  );
}
