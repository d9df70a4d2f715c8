import { DatabaseError } from "../database/database.ts";

/** A failure of the disk as the service knows failures of storage; any other error as it is. */
export function toDatabaseError(error: unknown, sentence: string): unknown {
  const code = codeOf(error);
  const message = `${sentence}: ${error instanceof Error ? error.message : String(error)}`;
  if (isDiskFull(error)) return new DatabaseError("full", message, error);
  // EROFS: Linux turns a file system read-only when its disk fails.
  if (code === "EIO" || code === "EROFS") return new DatabaseError("failed", message, error);
  return error;
}

export function isDiskFull(error: unknown): boolean {
  const code = codeOf(error);
  // EFBIG: the largest file that the process may make (ulimit -f), or the file system.
  return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
}

export function isMissingFile(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
