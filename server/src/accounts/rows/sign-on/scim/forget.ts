import type { Transaction } from "../../../../database/database.ts";

/**
 * Removes all rows that a provider has sent, and its token; returns whether there were any. People
 * stay members.
 */
export async function forgetScim(
  transaction: Transaction,
  organizationId: string,
): Promise<boolean> {
  await transaction.run(
    "DELETE FROM scim_member WHERE scim_group IN (SELECT id FROM scim_group WHERE organization = $1)",
    organizationId,
  );
  const removed = [
    await transaction.run("DELETE FROM scim_group WHERE organization = $1", organizationId),
    await transaction.run("DELETE FROM scim_user WHERE organization = $1", organizationId),
    await transaction.run("DELETE FROM scim_token WHERE organization = $1", organizationId),
  ];
  return removed.some((count) => count > 0);
}
