import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import { requireConnection } from "./stored-connection.ts";
import { type Contents, contentsOf } from "./contents.ts";

/** Locations that a refusal names. */
const namedMax = 5;

/**
 * `connection.remove`: refused while an active location uses the connection (A50). Objects at its
 * retired locations cannot be read afterwards, nor can leftovers of abandoned uploads be removed
 * there: these leave the queue, since they could never be processed. The rows of locations,
 * versions and uploads stay, as a record of the contents of those buckets.
 */
export async function removeConnection(
  transaction: Transaction,
  input: { organizationId: string; id: string; by: Actor },
  moment: Counting,
): Promise<Contents> {
  const { organizationId, id, by } = input;
  const { cloud, name } = await requireConnection(transaction, input);
  await refuseWhileUsed(transaction, id);
  const contents = await contentsOf(transaction, id);
  const left =
    "(SELECT upload FROM removal WHERE location IN (SELECT id FROM location WHERE connection = $1))";
  await transaction.run(`DELETE FROM store_upload WHERE upload IN ${left}`, id);
  await transaction.run(`DELETE FROM upload_files WHERE upload IN ${left}`, id);
  const freed = await transaction.get<{ bytes: number }>(
    `SELECT coalesce(sum(counted_bytes), 0) AS bytes FROM upload WHERE id IN ${left}`,
    id,
  );
  await transaction.run(`UPDATE upload SET counted_bytes = 0 WHERE id IN ${left}`, id);
  moment.ledger.note(organizationId, { bytes: -(freed?.bytes ?? 0) });
  const removals = await transaction.run(
    "DELETE FROM removal WHERE location IN (SELECT id FROM location WHERE connection = $1)",
    id,
  );
  await transaction.run("DELETE FROM connection WHERE id = $1", id);
  const details = { cloud, name, ...contents, removals };
  await audit(
    transaction,
    { ...by, organizationId, action: "connection.removed", subject: id, details },
    moment,
  );
  return contents;
}

/** The organization's row is locked: no location is added or changed meanwhile. */
async function refuseWhileUsed(transaction: Transaction, id: string): Promise<void> {
  const used = await transaction.all<{ id: string; name: string }>(
    "SELECT id, name FROM location WHERE connection = $1 AND state = 'active' ORDER BY created_at_ms, id",
    id,
  );
  if (used.length === 0) return;
  const named = used.slice(0, namedMax).map((one) => `${one.name} (${one.id})`);
  const more = used.length > namedMax ? ` and ${used.length - namedMax} more` : "";
  throw new ServiceError(
    "conflict",
    `Active locations use this connection: ${named.join(", ")}${more}. Retire them first.`,
  );
}
