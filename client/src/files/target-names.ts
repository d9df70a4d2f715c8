import { FileNameError } from "../errors.ts";
import { fileNameProblem } from "../file-name.ts";

/**
 * Refuses names of files that must not be written below a directory, all of them before anything is
 * written: whoever wrote the version decides what they are. Each must be a path that stays inside,
 * none may stand twice, and none may be a file here and a directory there.
 */
export function checkTargetNames(names: readonly string[]): void {
  const files = new Set<string>();
  for (const name of names) {
    const problem = fileNameProblem(name);
    if (problem !== undefined) refuse(name, problem);
    if (files.has(name)) refuse(name, "stands in it twice");
    files.add(name);
  }
  for (const name of names) {
    for (let end = name.indexOf("/"); end >= 0; end = name.indexOf("/", end + 1)) {
      if (files.has(name.slice(0, end)))
        refuse(name, `needs ${name.slice(0, end)} to be a directory`);
    }
  }
}

/** Two names that are one on a file system without regard to case, as on most Macs, if any. */
export function clashingNames(names: readonly string[]): [string, string] | undefined {
  const seen = new Map<string, string>();
  for (const name of names) {
    // Every word on the way may clash, not only the last one: A/x and a/y need one directory.
    for (let end = name.indexOf("/"); ; end = name.indexOf("/", end + 1)) {
      const path = end < 0 ? name : name.slice(0, end);
      const folded = path.normalize("NFC").toLowerCase();
      const other = seen.get(folded) ?? path;
      if (other !== path) return [other, path];
      seen.set(folded, path);
      if (end < 0) break;
    }
  }
  return undefined;
}

function refuse(name: string, problem: string): never {
  const shown = JSON.stringify(name);
  throw new FileNameError(`the version cannot be pulled here: the file name ${shown} ${problem}`);
}
