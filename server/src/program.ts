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
 * and that a clone makes (`server/build.ts`). Undefined: it cannot be made, and `complain` is told
 * why; the sources start as well, only slower.
 */
export async function programFile(
  complain: (sentence: string) => void,
): Promise<string | undefined> {
  const released = join(packageDirectory, "program/main.js");
  if (existsSync(released)) return released;
  const build = join(packageDirectory, "build.ts");
  if (!existsSync(build)) return undefined;
  const { programOfSources } = (await import(pathToFileURL(build).href)) as Builder;
  const made = programOfSources();
  if (existsSync(made)) return made;
  // A process of its own: what makes it would stay in the memory of this one.
  const { stderr, error } = spawnSync(process.execPath, [build], howMade);
  if (existsSync(made)) return made;
  const why = error?.message ?? /^\w*Error: .*$/m.exec(stderr)?.[0] ?? "no reason was told";
  complain(`The service starts from its sources, which takes longer: ${why}`);
  return undefined;
}

const howMade = { encoding: "utf8", timeout: 60_000 } as const;
