import { open, rename, rm, stat } from "node:fs/promises";

/** Refreshing takes two requests at most; a lock that stands longer was left by a dead process. */
const staleAfterMs = 60_000;
const askAgainMs = 50;

/**
 * Held while a refresh token is used: it works once, and two commands that use it at the same time
 * would end the sign-in. A file beside the login file, because the commands are processes that know
 * nothing of each other.
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
    // By how long we have looked at it, not by its date: clocks differ, that of a file server too.
    const mark = await markOf(path);
    if (mark === undefined) continue;
    if (seen?.mark !== mark) seen = { mark, sinceMs: performance.now() };
    if (performance.now() - seen.sinceMs >= staleMs) await removeStale(path, mark);
    else await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

/** A laptop that slept with the lock may wake to find that of the next, who took it for dead. */
async function release(path: string, own: string | undefined): Promise<void> {
  if (own !== undefined && (await markOf(path)) === own) await rm(path, { force: true });
}

/** Tells one lock from the next; undefined: there is none any more. */
async function markOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs } = await stat(path);
    return `${ino} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Moved away first, so that of several who find it stale one alone removes it. */
async function removeStale(path: string, mark: string): Promise<void> {
  const aside = `${path}.${process.pid}.stale`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await markOf(aside)) === mark) await rm(aside, { force: true });
  // Somebody was faster, and this is the lock of the next one: it goes back.
  else await rename(aside, path);
}
