import type { Moment } from "../../ground/clock.ts";
import type { Transaction } from "../database.ts";
import { ServiceError } from "../../ground/errors.ts";

/** The session of an acting person. */
export interface ActingSession {
  personId: string;
  /** SHA-256 of the session's secret. */
  sessionHash: Uint8Array;
}

/**
 * Requires that the session is live, and keeps the person's row locked: a change of a password
 * takes the same lock and ends sessions, so a session that has just ended cannot make anything that
 * outlives it.
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
