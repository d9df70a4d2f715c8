import type { Moment } from "../../ground/clock.ts";
import type { Transaction } from "../database.ts";
import { ServiceError } from "../../ground/errors.ts";

/** A session by which somebody acts, and whose it is. */
export interface ActingSession {
  personId: string;
  /** SHA-256 of its secret. */
  sessionHash: Uint8Array;
}

/**
 * Requires that the session lives now, and keeps the person's row under lock: what changes a
 * password takes the same lock and ends sessions, so nothing that outlives a session is made by one
 * that has just ended.
 */
export async function requireLiveSession(
  transaction: Transaction,
  { personId, sessionHash }: ActingSession,
  { nowMs }: Moment,
): Promise<void> {
  await transaction.get(`SELECT id FROM person WHERE id = $1${transaction.forUpdate}`, personId);
  const session = await transaction.get(
    "SELECT hash FROM session WHERE hash = $1 AND person = $2 AND expires_at_ms > $3",
    sessionHash,
    personId,
    nowMs,
  );
  if (session === undefined) {
    throw new ServiceError("unauthorized", "The session has ended; sign in again.");
  }
}
