import { limits } from "@lossless/protocol/limits";
import { requireRole } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import type { CloudName } from "./connection.ts";
import { listConnections, type StoredConnection } from "./stored-connection.ts";

/** `connection.create`: a pending one, for a person who is an admin now. Names may repeat (A65). */
export async function createConnection(
  transaction: Transaction,
  input: { organizationId: string; cloud: CloudName; name: string; by: Actor },
  { nowMs }: Moment,
): Promise<StoredConnection> {
  const { organizationId, cloud, name, by } = input;
  await requireRole(transaction, organizationId, by.actor, "admin");
  const most = limits.connectionsPerOrganizationMax;
  const existing = await listConnections(transaction, { organizationId });
  if (existing.length >= most) {
    throw new ServiceError(
      "conflict",
      `An organization has at most ${most} connections; remove those that are not used.`,
    );
  }
  const id = newId(nowMs);
  await transaction.run(
    `INSERT INTO connection (id, organization, cloud, name, state, identifiers, error, created_at_ms)
     VALUES ($1, $2, $3, $4, 'pending', NULL, NULL, $5)`,
    id,
    organizationId,
    cloud,
    name,
    nowMs,
  );
  const details = { cloud, name };
  await audit(
    transaction,
    { ...by, organizationId, action: "connection.created", subject: id, details },
    { nowMs },
  );
  const state = "pending";
  return {
    id,
    organizationId,
    cloud,
    name,
    state,
    identifiers: null,
    error: null,
    createdAtMs: nowMs,
  };
}
