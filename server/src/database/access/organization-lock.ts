import type { Transaction } from "../database.ts";

/**
 * Lets one transaction at a time change the folders, the locations or the people of an
 * organization, on whichever node. Rules that span several rows are then checked against rows that
 * stand still: no cycles, depth and names of folders; one fallback and one default of a cloud
 * (R17); one owner stays.
 *
 * It is an update that changes nothing, because that takes the weaker lock of PostgreSQL: opening
 * experiments, which refer to the organization's row, goes on; SELECT … FOR UPDATE would stop it.
 */
export async function lockOrganization(
  transaction: Transaction,
  organizationId: string,
): Promise<void> {
  await transaction.run(
    "UPDATE organization SET created_at_ms = created_at_ms WHERE id = $1",
    organizationId,
  );
}

/** Whether it is in the trash, or gone: nothing of it is set then. Under lockOrganization. */
export async function isDeleted(
  transaction: Transaction,
  organizationId: string,
): Promise<boolean> {
  const living = await transaction.get(
    "SELECT id FROM organization WHERE id = $1 AND trashed_at_ms IS NULL AND purged_at_ms IS NULL",
    organizationId,
  );
  return living === undefined;
}
