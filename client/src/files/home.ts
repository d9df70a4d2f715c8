import { homedir, userInfo } from "node:os";

/** This user's home; undefined: there is none, as in containers that run under any user id. */
export function homeDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment["HOME"] !== undefined) return environment["HOME"] || undefined;
  return told(homedir);
}

/** All homes of this user: HOME and the system may name two. */
export function homeDirectories(environment: NodeJS.ProcessEnv): string[] {
  const homes = [homeDirectory(environment), told(() => userInfo().homedir)];
  return homes.filter((home) => home !== undefined);
}

/** Returns the result; undefined: the system does not know this user. */
function told(ask: () => string): string | undefined {
  try {
    return ask() || undefined;
  } catch {
    return undefined;
  }
}
