import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import type { CloudIdentifiers } from "./connection.ts";
import { requireConnection, type StoredConnection } from "./stored-connection.ts";
import { contentsOf } from "./contents.ts";

export interface CompletedConnection {
  organizationId: string;
  id: string;
  identifiers: CloudIdentifiers;
  /**
   * Ids of the connection's locations whose buckets these identifiers reach; none when the
   * identifiers are unchanged.
   */
  reached: readonly string[];
  by: Actor;
}

/**
 * `connection.complete`: stores identifiers for which the cloud has accepted a token, a moment ago
 * and outside of any transaction. They replace those of an active connection (A48): its locations
 * are then reached by the new ones alone, so access to each was tested, and the audit log counts
 * them.
 */
export async function completeConnection(
  transaction: Transaction,
  input: CompletedConnection,
  moment: Moment,
): Promise<StoredConnection> {
  const { organizationId, id, identifiers, reached, by } = input;
  const found = await requireConnection(transaction, input);
  if (found.cloud !== identifiers.cloud) {
    throw new Error(`BUG: a connection to ${found.cloud}, got ${identifiers.cloud}`);
  }
  const text = JSON.stringify(identifiers);
  const isSame = found.identifiers !== null && JSON.stringify(found.identifiers) === text;
  if (found.identifiers !== null && !isSame) await requireReached(transaction, id, reached);
  await transaction.run(
    "UPDATE connection SET state = 'active', identifiers = $2, error = NULL WHERE id = $1",
    id,
    text,
  );
  const replaced =
    found.identifiers === null || isSame
      ? {}
      : { replaced: JSON.stringify(found.identifiers), ...(await contentsOf(transaction, id)) };
  const details = { cloud: found.cloud, identifiers: text, ...replaced };
  await audit(
    transaction,
    { ...by, organizationId, action: "connection.completed", subject: id, details },
    moment,
  );
  return { ...found, state: "active", identifiers, error: null };
}

/**
 * Requires that all locations were reached: one may have been made with the old identifiers since
 * the buckets were tested.
 */
async function requireReached(
  transaction: Transaction,
  connectionId: string,
  reached: readonly string[],
): Promise<void> {
  const rows = await transaction.all<{ id: string }>(
    "SELECT id FROM location WHERE connection = $1",
    connectionId,
  );
  if (rows.every(({ id }) => reached.includes(id))) return;
  throw new ServiceError(
    "conflict",
    "A location was made with this connection meanwhile. Nothing was changed; try again.",
  );
}

/**
 * `connection.refused`: records why the cloud has refused the identifiers, for people; a pending
 * connection stays pending, an active one keeps its former identifiers (A47, A48).
 */
export async function refuseConnection(
  transaction: Transaction,
  input: { organizationId: string; id: string; error: string; by: Actor },
  moment: Moment,
): Promise<void> {
  const { organizationId, id, error, by } = input;
  const { cloud } = await requireConnection(transaction, input);
  await transaction.run("UPDATE connection SET error = $2 WHERE id = $1", id, error);
  const details = { cloud, error };
  await audit(
    transaction,
    { ...by, organizationId, action: "connection.refused", subject: id, details },
    moment,
  );
}
