import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageDirectory } from "./ground/package-directory.ts";

interface Builder {
  makeProgram: () => Promise<string>;
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
    const made = (await import(pathToFileURL(build).href)) as Builder;
    return await made.makeProgram();
  } catch {
    return join(packageDirectory, "src/main.ts");
  }
}
