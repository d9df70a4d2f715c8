/** Entries of artefacts: paths with modes and contents, independent of this machine. */
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

/** The owner is root unless given. */
export type Entry = { path: string; owner?: number } & (
  | { kind: "file"; mode: number; content: Buffer }
  | { kind: "directory"; mode: number }
  | { kind: "link"; target: string }
);

/** One file of a release. */
export interface Artefact {
  name: string;
  content: Buffer;
}

export function file(path: string, content: Buffer | string, mode = 0o644): Entry {
  return { kind: "file", path, mode, content: Buffer.from(content) };
}

export function directory(path: string, mode = 0o755): Entry {
  return { kind: "directory", path, mode };
}

export function link(path: string, target: string): Entry {
  return { kind: "link", path, target };
}

/**
 * Lists all files and links below a directory, with relative paths. Of a file's mode only the
 * executable bit counts: the rest depends on the umask of the checkout. `wanted` is also called for
 * directories, whose paths end with a slash.
 */
export function entriesBelow(
  root: string,
  wanted: (path: string) => boolean = () => true,
): Entry[] {
  const found: Entry[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`;
      const full = join(root, path);
      if (entry.isDirectory()) {
        if (wanted(`${path}/`)) visit(`${path}/`);
      } else if (wanted(path)) {
        if (entry.isSymbolicLink()) found.push(link(path, readlinkSync(full)));
        else found.push(file(path, readFileSync(full), modeOf(full)));
      }
    }
  };
  visit("");
  return found;
}

export function below(folder: string, entries: readonly Entry[]): Entry[] {
  return entries.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }));
}

/**
 * Sorts entries by path, adding every parent directory before its content. Throws when two entries
 * have one path.
 */
export function complete(entries: readonly Entry[]): Entry[] {
  const all = new Map<string, Entry>();
  for (const entry of entries) {
    if (all.has(entry.path)) throw new Error(`BUG: two entries are ${entry.path}`);
    all.set(entry.path, entry);
  }
  for (const { path } of entries) {
    const steps = path.split("/").slice(0, -1);
    for (let length = 1; length <= steps.length; length++) {
      const parent = steps.slice(0, length).join("/");
      if (!all.has(parent)) all.set(parent, directory(parent));
    }
  }
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function modeOf(path: string): number {
  return (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755;
}
