import { open, rename, rm, stat } from "node:fs/promises";

/** Refreshing takes two requests at most; a lock that is older was left by a process that died. */
const staleMs = 60_000;
const askAgainMs = 50;

/**
 * Held while a refresh token is used: it works once, and two commands that use it at the same time would end the
 * sign-in. A file beside the login file, because the commands are processes that know nothing of each other.
 */
export async function lockLogin(loginFile: string): Promise<AsyncDisposable> {
  const path = `${loginFile}.lock`;
  for (;;) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (await isStale(path)) await removeStale(path);
    else await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > staleMs;
  } catch {
    return false;
  }
}

/** Moved away first, so that of several who find it stale one alone removes it. */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${process.pid}.stale`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  // Somebody else was faster, and this is the lock of the next one: it goes back.
  if (await isStale(aside)) await rm(aside, { force: true });
  else await rename(aside, path);
}
