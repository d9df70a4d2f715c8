import { readFileSync } from "node:fs";
import { join } from "node:path";
import { below, entriesBelow, type Entry } from "./entries.ts";

/** A package of package-lock.json; `path` is relative to the clone's root. */
export interface LockedPackage {
  path: string;
  name: string;
  version: string;
  license: string | undefined;
  /** Hash of the registry's archive: `sha512-` and base64. */
  integrity: string | undefined;
}

interface LockRow {
  version?: string;
  resolved?: string;
  link?: boolean;
  license?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export type Lock = ReadonlyMap<string, LockRow>;

export function readLock(root: string): Lock {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  return new Map(
    Object.entries((JSON.parse(text) as { packages: Record<string, LockRow> }).packages),
  );
}

/**
 * Lists the packages that the workspaces need to run, without the workspaces, resolved as Node
 * does. Throws when the lock lacks one.
 */
export function dependenciesOf(lock: Lock, workspaces: readonly string[]): LockedPackage[] {
  const reached = new Map<string, LockRow>();
  const waiting = [...workspaces];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const row = lock.get(path);
    if (row === undefined || reached.has(path)) continue;
    if (row.link === true) {
      waiting.push(row.resolved ?? "");
      continue;
    }
    reached.set(path, row);
    for (const [name, isNeeded] of needsOf(row)) {
      const found = resolve(lock, name, path);
      if (found !== undefined) waiting.push(found);
      else if (isNeeded) throw new Error(`package-lock.json has no ${name}, which ${path} needs`);
    }
  }
  return [...reached]
    .filter(([path]) => path.includes("node_modules/"))
    .map(([path, row]) => locked(path, row))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function locked(path: string, row: LockRow): LockedPackage {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const { version = "", license, integrity } = row;
  return { path, name, version, license, integrity };
}

/**
 * The installed files of those packages, as `npm ci` has laid them, without those for compilers and
 * editors. Throws when an installed version differs from the lock.
 */
export function installedFiles(root: string, packages: readonly LockedPackage[]): Entry[] {
  return packages.flatMap(({ path, name, version }) => {
    const folder = join(root, path);
    const { version: found } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as LockRow;
    if (found !== version) {
      throw new Error(`${path} is ${name} ${found}, package-lock.json says ${version}: npm ci`);
    }
    const isRead = (inside: string) =>
      inside !== "node_modules/" && !/\.(d\.[cm]?ts|map)$/.test(inside);
    return below(path, entriesBelow(folder, isRead));
  });
}

function needsOf(row: LockRow): [name: string, isNeeded: boolean][] {
  const isOptional = (name: string) => row.peerDependenciesMeta?.[name]?.optional === true;
  return [
    ...Object.keys(row.dependencies ?? {}).map((name): [string, boolean] => [name, true]),
    // In the lock only workspaces have them.
    ...Object.keys(row.devDependencies ?? {}).map((name): [string, boolean] => [name, true]),
    ...Object.keys(row.optionalDependencies ?? {}).map((name): [string, boolean] => [name, false]),
    ...Object.keys(row.peerDependencies ?? {}).map((name): [string, boolean] => [
      name,
      !isOptional(name),
    ]),
  ];
}

/** Finds the nearest `node_modules` above that has the package. */
function resolve(lock: Lock, name: string, from: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const path = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (lock.has(path)) return path;
    if (at === "") return undefined;
  }
}
