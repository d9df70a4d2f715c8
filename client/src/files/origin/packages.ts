import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isObject } from "../../replies.ts";

const packagesBytesMax = 24 * 1_024;
const lockFileBytesMax = 64 * 1_048_576;
/** Lock files, and what writes them. */
const lockFiles = {
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
} as const;

type PackageFacts = {
  manager?: string;
  lockFile?: string;
  packages?: Record<string, string>;
  packagesLeftOut?: number;
};

/**
 * Returns the nearest lock file above a directory, and the packages of the nearest `node_modules`:
 * as npm wrote down what it installed, else as the lock file has them, else as their directories
 * say. Of several versions of one package, that of the top directory.
 */
export async function packageFacts(directory: string): Promise<PackageFacts> {
  const above = upwards(directory);
  const facts: PackageFacts = {};
  for (const each of above) {
    const name = Object.keys(lockFiles).find((lockFile) => existsSync(join(each, lockFile)));
    if (name === undefined) continue;
    Object.assign(facts, { manager: lockFiles[name as keyof typeof lockFiles], lockFile: name });
    break;
  }
  const installed = above.find((each) => existsSync(join(each, "node_modules")));
  const locked = above.find((each) => existsSync(join(each, "package-lock.json")));
  const found =
    (installed && (await lockedIn(join(installed, "node_modules", ".package-lock.json")))) ??
    (locked && (await lockedIn(join(locked, "package-lock.json")))) ??
    (installed && (await installedIn(join(installed, "node_modules"))));
  return found ? { ...facts, ...bounded(found) } : facts;
}

/** Returns a directory and those above it. */
export function upwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [directory, ...upwards(above)];
}

async function lockedIn(path: string): Promise<Map<string, string> | undefined> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > lockFileBytesMax) return undefined;
    const lock: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isObject(lock) || !isObject(lock["packages"])) return undefined;
    const found = new Map<string, string>();
    for (const [place, entry] of Object.entries(lock["packages"])) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place)?.[1];
      if (name === undefined || !isObject(entry)) continue;
      if (typeof entry["version"] === "string") found.set(name, entry["version"]);
    }
    return found;
  } catch {
    return undefined;
  }
}

async function installedIn(directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await namesIn(directory)) {
    if (name.startsWith(".")) continue;
    const names = name.startsWith("@")
      ? (await namesIn(join(directory, name))).map((inner) => `${name}/${inner}`)
      : [name];
    for (const each of names) {
      const version = await versionIn(join(directory, each, "package.json"));
      if (version !== undefined) found.set(each, version);
    }
  }
  return found;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

async function versionIn(path: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(path, "utf8"));
    const version = isObject(manifest) ? manifest["version"] : undefined;
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

/** By the order of names; those beyond the bytes are counted. */
function bounded(found: ReadonlyMap<string, string>): PackageFacts {
  const packages: Record<string, string> = {};
  let bytes = 0;
  let kept = 0;
  for (const [name, version] of [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [shortName, shortVersion] = [name.slice(0, 128), version.slice(0, 64)];
    bytes += Buffer.byteLength(JSON.stringify(shortName) + JSON.stringify(shortVersion)) + 2;
    if (bytes > packagesBytesMax) break;
    packages[shortName] = shortVersion;
    kept++;
  }
  const leftOut = found.size - kept;
  return { packages, ...(leftOut > 0 && { packagesLeftOut: leftOut }) };
}
