import { DatabaseError, type DatabaseFailure } from "./database.ts";
import { clientMistake, refusal, setupMistake } from "./postgres-setup.ts";
import { tlsAdvice } from "./postgres-tls-advice.ts";

/** SQLSTATE codes and classes (two characters) that are failures of the server, not of our SQL. */
const failures: Record<string, DatabaseFailure> = {
  "40001": "conflict", // serialization_failure
  "40P01": "conflict", // deadlock_detected
  "55P03": "conflict", // lock_not_available
  "53100": "full", // disk_full
  "25006": "unavailable", // read_only_sql_transaction: we reached a standby
  "57014": "unavailable", // query_canceled: the statement timeout
  "58030": "unavailable", // io_error on the server's disk; ours is sound
  XX001: "corrupt", // data_corrupted
  XX002: "corrupt", // index_corrupted
  "08": "unavailable", // connection exceptions
  "28": "unavailable", // role or password refused
  "3D": "unavailable", // no such database
  "53": "unavailable", // out of memory, too many connections
  "57": "unavailable", // shutdown, crash, starting up
};

/**
 * An error of the `pg` client as a DatabaseError when the server or the connection failed; any
 * other (a constraint, a mistake in SQL) as it is. `pg` reports a lost connection as a plain Error
 * without SQLSTATE.
 */
export function postgresFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError) return error;
  if (error.message.startsWith("BUG:") || error instanceof TypeError) return error;
  const mistake = isServerMessage(error) ? setupMistake(error) : undefined;
  if (mistake !== undefined) return new DatabaseError("misconfigured", mistake, error);
  const kind = isServerMessage(error)
    ? (failures[error.code] ?? failures[error.code.slice(0, 2)])
    : "unavailable";
  if (kind === undefined) return error;
  return new DatabaseError(kind, `PostgreSQL: ${error.message}${tlsAdvice(error)}`, error);
}

/**
 * The same of an error of connecting. What the server will answer to every try is `misconfigured`,
 * and nothing is a defect.
 */
export function postgresConnectFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError || error instanceof TypeError)
    return error;
  const mistake = connectMistake(error);
  if (mistake !== undefined) return new DatabaseError("misconfigured", mistake, error);
  if (isServerMessage(error) && error.code === "53300")
    return new DatabaseError("unavailable", `PostgreSQL: ${error.message}. ${crowded}`, error);
  return postgresFailure(error);
}

function connectMistake(error: Error): string | undefined {
  const advice = tlsAdvice(error);
  if (advice !== "") return `PostgreSQL: ${error.message}${advice}`;
  return isServerMessage(error) ? refusal(error) : clientMistake(error);
}

const crowded =
  "Raise max_connections (20 for each process of the service, and some for commands), or end unused " +
  "connections.";

/** The same of a read, of which a statement that took too long says nothing about the server. */
export function postgresReadFailure(error: unknown): unknown {
  const isLate = isServerMessage(error) && error.code === "57014";
  return isLate
    ? new DatabaseError("late", `PostgreSQL: ${error.message}`, error)
    : postgresFailure(error);
}

/**
 * Returns the failure of a COMMIT, from its error or a notice before its reply. Only a message of
 * severity ERROR proves that nothing was committed; after a FATAL one or a lost connection the
 * commit record may already be on disk.
 */
export function postgresCommitFailure(error: unknown): unknown {
  if (isServerMessage(error) && error.severity === "ERROR") return postgresFailure(error);
  const message = error instanceof Error ? error.message : String(error);
  return new DatabaseError(
    "unknown",
    `PostgreSQL, during COMMIT: ${message} (it is not known whether the change was stored)`,
    error,
  );
}

function isServerMessage(error: unknown): error is Error & { code: string; severity: string } {
  return (
    error instanceof Error &&
    "severity" in error &&
    "code" in error &&
    typeof error.code === "string"
  );
}
