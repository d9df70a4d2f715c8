import { requireRole } from "../../../database/access/role.ts";
import type { Actor } from "../../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import type { CloudIdentifiers, CloudName } from "./connection.ts";

/** A connection as the database has it. */
export interface StoredConnection {
  id: string;
  organizationId: string;
  cloud: CloudName;
  name: string;
  state: "pending" | "active";
  /** Null while it is pending. */
  identifiers: CloudIdentifiers | null;
  /** The cloud's last refusal, for people; null once it has accepted. */
  error: string | null;
  createdAtMs: number;
}

/** `connection.list`: every connection of the organization, oldest first. */
export async function listConnections(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<StoredConnection[]> {
  const rows = await reader.all<ConnectionRow>(
    `${selectConnection} WHERE organization = $1 ORDER BY created_at_ms, id`,
    organizationId,
  );
  return rows.map(connectionOf);
}

/** `connection.find`: null if the organization has none with this id; another's does not exist. */
export async function findConnection(
  reader: Reader,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<StoredConnection | null> {
  const row = await reader.get<ConnectionRow>(
    `${selectConnection} WHERE organization = $1 AND id = $2`,
    organizationId,
    id,
  );
  return row === undefined ? null : connectionOf(row);
}

/**
 * Returns the connection for a write, by a person who is an admin at this moment. The
 * organization's row is locked, as for every change of its locations.
 */
export async function requireConnection(
  transaction: Transaction,
  { organizationId, id, by }: { organizationId: string; id: string; by: Actor },
): Promise<StoredConnection> {
  await requireRole(transaction, organizationId, by.actor, "admin");
  const found = await findConnection(transaction, { organizationId, id });
  if (found === null) throw noSuchConnection();
  return found;
}

export function noSuchConnection(): ServiceError {
  return new ServiceError("not_found", "There is no such connection.");
}

type ConnectionRow = Omit<StoredConnection, "identifiers"> & { identifiers: string | null };

const selectConnection = `SELECT id, organization AS "organizationId", cloud, name, state, identifiers, error,
  created_at_ms AS "createdAtMs" FROM connection`;

function connectionOf({ identifiers, ...row }: ConnectionRow): StoredConnection {
  const known = identifiers === null ? null : (JSON.parse(identifiers) as CloudIdentifiers);
  return { ...row, identifiers: known };
}
