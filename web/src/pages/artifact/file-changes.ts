import type { Checksums } from "./checksums.ts";
import type { ListedFile } from "./file-tree.ts";

/** The files of a version, with what is known of their content. */
export interface KnownFiles {
  files: readonly ListedFile[];
  checksums: Checksums;
}

export interface FileChange {
  /** `unknown`: the sizes are the same, and a checksum is missing. */
  kind: "added" | "removed" | "changed" | "unknown";
  name: string;
  /** Undefined: there is none. */
  before: number | undefined;
  after: number | undefined;
}

/** What differs from one version to another, by their names, and how many files are the same. */
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
