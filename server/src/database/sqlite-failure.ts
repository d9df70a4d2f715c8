import { DatabaseError, type DatabaseFailure } from "./database.ts";

const primaryFailures: Record<number, DatabaseFailure> = {
  5: "conflict", // SQLITE_BUSY
  6: "conflict", // SQLITE_LOCKED
  8: "failed", // SQLITE_READONLY: the file was moved or lost its permissions under us
  10: "failed", // SQLITE_IOERR, among them 1034: fsync failed
  11: "corrupt", // SQLITE_CORRUPT
  13: "full", // SQLITE_FULL
  14: "failed", // SQLITE_CANTOPEN
  26: "corrupt", // SQLITE_NOTADB
};

/** SQLITE_IOERR_WRITE: the process's file-size limit or a quota; like a full disk, it can end. */
const writeFailed = 778;

/**
 * An error of node:sqlite as a DatabaseError when the database itself failed; any other error (a
 * constraint, a mistake in SQL) as it is.
 */
export function sqliteFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !("errcode" in error)) return error;
  const code = Number(error.errcode);
  const kind = code === writeFailed ? "full" : primaryFailures[code & 0xff];
  if (kind === undefined) return error;
  return new DatabaseError(kind, `SQLite error ${code}: ${error.message}`, error);
}
