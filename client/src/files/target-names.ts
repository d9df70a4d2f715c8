import { FileNameError } from "../errors.ts";
import { fileNameProblem } from "../file-name.ts";

/**
 * Refuses file names that must not be written below a directory, before anything is written: they
 * come from the version's writer. Each must be a path that stays inside, with no duplicates, and no
 * name may be a file and a directory.
 */
export function checkTargetNames(names: readonly string[]): void {
  const files = new Set<string>();
  for (const name of names) {
    const problem = fileNameProblem(name);
    if (problem !== undefined) refuse(name, problem);
    if (files.has(name)) refuse(name, "occurs twice");
    files.add(name);
  }
  for (const name of names) {
    for (let end = name.indexOf("/"); end >= 0; end = name.indexOf("/", end + 1)) {
      if (files.has(name.slice(0, end)))
        refuse(name, `needs ${name.slice(0, end)} to be a directory`);
    }
  }
}

/**
 * Finds two names that are one on a case-insensitive file system, as on most Macs; undefined: none.
 */
export function clashingNames(names: readonly string[]): [string, string] | undefined {
  const seen = new Map<string, string>();
  for (const name of names) {
    // Every prefix may clash, not only the whole path: A/x and a/y need one directory.
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
