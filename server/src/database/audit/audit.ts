import type { AuditEvent } from "@lossless/protocol";
import type { Moment } from "../../ground/clock.ts";
import type { Reader, Transaction } from "../database.ts";
import { newId } from "../../ground/ids.ts";

/** The actor of a change, as named in the audit log. */
export interface Actor {
  /** Id of the person or key, or `bootstrap`, `provision`, `operator`, `service`, `retention`. */
  actor: string;
  /** Network address of the caller; null for the operator's own commands. */
  address: string | null;
}

export interface AuditEntry extends Actor {
  /** The organization; null for events of the installation, or of a person alone. */
  organizationId: string | null;
  /** Noun and past participle: `apiKey.created`, `session.created`, `location.retired`. */
  action: string;
  subject?: string;
  /** Details; never a secret, and nothing of unbounded size. */
  details?: Record<string, string | number | boolean | null>;
}

/** Adds an event, in the transaction that it describes. Nothing changes or removes one. */
export async function audit(
  transaction: Transaction,
  entry: AuditEntry,
  { nowMs }: Moment,
): Promise<void> {
  await transaction.run(
    `INSERT INTO audit (id, organization, at_ms, action, actor, subject, address, details)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    newId(nowMs),
    entry.organizationId,
    nowMs,
    entry.action,
    entry.actor,
    entry.subject ?? null,
    entry.address,
    JSON.stringify(entry.details ?? {}),
  );
}

/**
 * Reads events, newest first; at most `limit` below id `before`. organizationId null: those of all
 * organizations.
 */
export async function readAudit(
  reader: Reader,
  {
    organizationId,
    before,
    limit,
  }: { organizationId: string | null; before: string | null; limit: number },
): Promise<AuditEvent[]> {
  // With "or all of them" the log of everybody would be passed over.
  const own = organizationId === null ? "" : "organization = $3 AND";
  const rows = await reader.all<
    Omit<AuditEvent, "at" | "details"> & { at: number; details: string }
  >(
    `SELECT id, at_ms AS at, action, actor, subject, address, details FROM audit
     WHERE ${own} (id < $1 OR $1 IS NULL) ORDER BY id DESC LIMIT $2`,
    before,
    limit,
    ...(organizationId === null ? [] : [organizationId]),
  );
  return rows.map(({ at, details, ...event }) => ({
    ...event,
    at: new Date(at).toISOString(),
    details: JSON.parse(details) as Record<string, unknown>,
  }));
}
