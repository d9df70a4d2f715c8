import type { Transaction } from "../database.ts";

/**
 * Serializes changes of the folders, the locations or the people of an organization, across nodes.
 * Rules that span several rows are then checked against rows that do not change: no cycles, depth
 * and names of folders; one fallback and one default of a cloud (R17); one owner stays.
 *
 * The lock is an update that changes nothing, because that takes the weaker lock of PostgreSQL:
 * opening experiments, which refer to the organization's row, goes on; SELECT … FOR UPDATE would
 * stop it.
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

/**
 * Whether the organization is in the trash, or purged: its settings cannot be changed then. Under
 * lockOrganization.
 */
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
