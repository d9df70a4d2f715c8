import type { Transaction } from "../database/database.ts";

/**
 * Lets one transaction at a time change the folders of an organization, on whichever node: rules that span
 * several rows (no cycles, depth, number, names) are then checked against a tree that stands still.
 *
 * An update that changes nothing, because it takes the weaker lock of PostgreSQL: opening experiments, which
 * refer to the organization's row, goes on meanwhile; SELECT … FOR UPDATE would stop it.
 */
export async function lockTree(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.run(
    "UPDATE organization SET created_at_ms = created_at_ms WHERE id = $1",
    organizationId,
  );
}
