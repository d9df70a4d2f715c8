import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { textOf } from "./machine.ts";
import { upwards } from "./packages.ts";

/** Facts of a repository that its own files tell at once: git is asked for the others. */
export interface GitFacts {
  root: string;
  remote?: string;
  commit?: string;
  branch?: string;
}

/** Returns the facts of the repository that a directory is in; undefined: it is in none. */
export function gitFacts(directory: string): GitFacts | undefined {
  for (const root of upwards(resolve(directory))) {
    const own = ownDirectory(root);
    if (own === undefined) continue;
    const head = textOf(join(own, "HEAD"))?.trim() ?? "";
    // A worktree has its head, and shares the rest.
    const shared = resolve(own, textOf(join(own, "commondir"))?.trim() ?? ".");
    const name = /^ref: (.+)$/.exec(head)?.[1];
    const commit = name === undefined ? head : commitOf(name, [own, shared]);
    const remote = remoteIn(textOf(join(shared, "config")) ?? "");
    return {
      root,
      ...(remote !== undefined && { remote }),
      ...(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit) && { commit }),
      ...(name !== undefined && { branch: name.replace(/^refs\/heads\//, "") }),
    };
  }
  return undefined;
}

function ownDirectory(root: string): string | undefined {
  const path = join(root, ".git");
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const named = isFile ? /^gitdir: (.+)$/m.exec(textOf(path) ?? "")?.[1] : undefined;
  const own = named === undefined ? path : resolve(root, named);
  return existsSync(join(own, "HEAD")) ? own : undefined;
}

function commitOf(name: string, directories: readonly string[]): string {
  for (const directory of directories) {
    const loose = textOf(join(directory, name))?.trim();
    if (loose !== undefined) return loose;
  }
  const packed = directories.map((directory) => textOf(join(directory, "packed-refs")) ?? "");
  const lines = packed.join("\n").split("\n");
  return lines.find((line) => line.slice(line.indexOf(" ") + 1) === name)?.split(" ")[0] ?? "";
}

/** Returns the address of `origin`, or of the first remote. */
function remoteIn(config: string): string | undefined {
  const addresses = new Map<string, string>();
  let section = "";
  for (const line of config.split("\n").map((each) => each.trim())) {
    if (line.startsWith("[")) section = line;
    const value = /^url\s*=\s*"?([^"]+)"?$/i.exec(line)?.[1];
    if (value !== undefined && section.startsWith("[remote ") && !addresses.has(section))
      addresses.set(section, value);
  }
  return addresses.get('[remote "origin"]') ?? [...addresses.values()][0];
}
