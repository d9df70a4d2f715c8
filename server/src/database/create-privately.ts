import { chmodSync, closeSync, openSync } from "node:fs";

/**
 * Makes the file 0600 before SQLite sees it; its WAL and shared-memory files take the same mode.
 *
 * A file that exists is never opened here: closing any descriptor of a file ends every POSIX lock
 * that this process holds on it, so another connection of it would lose its locks without a word.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!isPresent(error)) throw error;
    chmodSync(file, 0o600);
  }
}

function isPresent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
