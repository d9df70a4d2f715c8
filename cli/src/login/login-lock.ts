import { open, rename, rm, stat } from "node:fs/promises";

/**
 * Milliseconds after which a lock counts as left by a dead process: refreshing takes two requests.
 */
const staleAfterMs = 60_000;
const askAgainMs = 50;

/**
 * Locks the use of a refresh token: it works once, and two commands using it at the same time would
 * end the sign-in. A file beside the login file, because the commands are unrelated processes.
 */
export async function lockLogin(
  loginFile: string,
  { staleMs = staleAfterMs }: { staleMs?: number } = {},
): Promise<AsyncDisposable> {
  const path = `${loginFile}.lock`;
  let seen: { mark: string; sinceMs: number } | undefined;
  for (;;) {
    try {
      await (await open(path, "wx", 0o600)).close();
      const own = await markOf(path);
      return { [Symbol.asyncDispose]: () => release(path, own) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    // By how long it was observed, not by its date: clocks differ, a file server's too.
    const mark = await markOf(path);
    if (mark === undefined) continue;
    if (seen?.mark !== mark) seen = { mark, sinceMs: performance.now() };
    if (performance.now() - seen.sinceMs >= staleMs) await removeStale(path, mark);
    else await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

/**
 * Releases the lock if still ours: after a sleep it may belong to the next process, which took it
 * for stale.
 */
async function release(path: string, own: string | undefined): Promise<void> {
  if (own !== undefined && (await markOf(path)) === own) await rm(path, { force: true });
}

/** Identifies one lock file; undefined: there is none. */
async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs } = await stat(path);
    return `${ino} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Removes a stale lock. It is renamed first, so that only one of several processes removes it. */
async function removeStale(path: string, mark: string): Promise<void> {
  const aside = `${path}.${process.pid}.stale`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await markOf(aside)) === mark) await rm(aside, { force: true });
  // Another process was faster, and this is a newer lock: it goes back.
  else await rename(aside, path);
}
