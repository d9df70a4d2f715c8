import type { Checksums } from "./checksums.ts";
import type { ListedFile } from "./file-tree.ts";

/** The files of a version, with their known checksums. */
export interface KnownFiles {
  files: readonly ListedFile[];
  checksums: Checksums;
}

export interface FileChange {
  /** `unknown`: sizes are equal, and a checksum is missing. */
  kind: "added" | "removed" | "changed" | "unknown";
  name: string;
  /** Size before; undefined: the file did not exist. `after` likewise. */
  before: number | undefined;
  after: number | undefined;
}

/** Compares the files of two versions by name, and counts equal ones. */
export function changesOf(
  before: KnownFiles,
  after: KnownFiles,
): { changes: FileChange[]; same: number } {
  const earlier = new Map(before.files.map(({ name, size }) => [name, size]));
  const later = new Map(after.files.map(({ name, size }) => [name, size]));
  const changes: FileChange[] = [];
  let same = 0;
  for (const [name, size] of later) {
    const was = earlier.get(name);
    const sums = [before.checksums.get(name), after.checksums.get(name)];
    const sizes = { name, before: was, after: size };
    if (was === undefined) changes.push({ kind: "added", ...sizes });
    else if (was !== size) changes.push({ kind: "changed", ...sizes });
    else if (size === 0) same++;
    else if (sums.includes(undefined)) changes.push({ kind: "unknown", ...sizes });
    else if (sums[0] !== sums[1]) changes.push({ kind: "changed", ...sizes });
    else same++;
  }
  for (const [name, size] of earlier)
    if (!later.has(name)) changes.push({ kind: "removed", name, before: size, after: undefined });
  return { changes: changes.sort((one, other) => (one.name < other.name ? -1 : 1)), same };
}
