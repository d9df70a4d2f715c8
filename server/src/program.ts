import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageDirectory } from "./ground/package-directory.ts";

interface Builder {
  programOfSources: () => string;
}

/**
 * Returns the file with which the service starts: the program in a few files that a release has,
 * and that a clone makes (`server/build.ts`); where it cannot be made, the sources, which start
 * slower.
 */
export async function programFile(): Promise<string> {
  const released = join(packageDirectory, "program/main.js");
  if (existsSync(released)) return released;
  const build = join(packageDirectory, "build.ts");
  try {
    const { programOfSources } = (await import(pathToFileURL(build).href)) as Builder;
    const made = programOfSources();
    // A process of its own: what makes it would stay in the memory of this one.
    if (!existsSync(made)) spawnSync(process.execPath, [build], howMade);
    if (existsSync(made)) return made;
  } catch {
    // A package without sources, whose program somebody has removed.
  }
  return join(packageDirectory, "src/main.ts");
}

const howMade = { stdio: "ignore", timeout: 60_000 } as const;
