import type { Reader } from "../database.ts";

/**
 * Returns SQL for whether a row of `membership` counts for a sign-in. `only` is the expression of
 * the only organization for which the sign-in acts. A sign-in by an organization's identity
 * provider counts there and nowhere else: one organization's provider has no say in another. One by
 * password counts wherever no provider is forced, and for owners everywhere, so that an
 * organization cannot lock itself out.
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
