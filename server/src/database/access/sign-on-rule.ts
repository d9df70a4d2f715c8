import type { Reader } from "../database.ts";

/**
 * SQL: whether a row of `membership` counts for a sign-in. `only` is the expression of the only
 * organization for which the sign-in acts. One by an organization's identity provider counts there
 * and nowhere else: what one organization's provider says about a person is no word in another's.
 * One by password counts wherever no provider is forced, and for owners everywhere: nobody locks
 * an organization out of itself.
 */
export function countsFor(only: string): string {
  return `(membership.organization = ${only} OR (${only} IS NULL AND (membership.role = 'owner'
    OR NOT EXISTS (SELECT 1 FROM sign_on
      WHERE sign_on.organization = membership.organization AND sign_on.is_forced = 1))))`;
}

/** Whether members of the organization, all but owners, sign in by its provider alone. */
export async function isSignOnForced(reader: Reader, organizationId: string): Promise<boolean> {
  const row = await reader.get(
    "SELECT organization FROM sign_on WHERE organization = $1 AND is_forced = 1",
    organizationId,
  );
  return row !== undefined;
}
