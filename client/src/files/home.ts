import { homedir } from "node:os";

/** This user's home. Undefined: there is none, as in containers that run under any number. */
export function homeDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment["HOME"] !== undefined) return environment["HOME"] || undefined;
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
