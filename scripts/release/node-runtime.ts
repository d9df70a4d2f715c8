import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { mkdtempDisposable, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Entry } from "./entries.ts";
import { type Lock, type LockedPackage, locked } from "./installed.ts";
import { run } from "./run.ts";
import { readTar } from "./tar.ts";

/** Node's names of the supported processors. */
export const architectures = ["x64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

/**
 * Cache of downloads from registries, kept for the next release; contents are verified at each use.
 */
export function cacheDirectory(root: string): string {
  const path = join(root, "node_modules/.cache/lossless-release");
  mkdirSync(path, { recursive: true });
  return path;
}

export function nodePackage(lock: Lock, architecture: Architecture): LockedPackage {
  const path = `node_modules/node-linux-${architecture}`;
  const row = lock.get(path);
  if (row === undefined) throw new Error(`package-lock.json has no ${path}`);
  return locked(path, row);
}

/**
 * Fetches `bin/node` and its licence for either processor, in the version that `npm ci` installs.
 * node_modules has one processor only, so npm fetches it, verified by the hash in
 * package-lock.json.
 */
export async function nodeRuntime(
  root: string,
  lock: Lock,
  architecture: Architecture,
): Promise<{ program: Buffer; license: Buffer }> {
  const wanted = nodePackage(lock, architecture);
  const archive = await fetched(root, wanted);
  const files = [...readTar(gunzipSync(archive))];
  const of = (path: string) => contentOf(files, `package/${path}`);
  return { program: of("bin/node"), license: of("LICENSE") };
}

async function fetched(root: string, { name, version, integrity }: LockedPackage): Promise<Buffer> {
  const kept = join(cacheDirectory(root), `${name}-${version}.tgz`);
  if (!existsSync(kept)) {
    await using into = await mkdtempDisposable(join(cacheDirectory(root), "pack-"));
    const words = ["pack", "--silent", "--ignore-scripts", "--pack-destination", into.path];
    await run("npm", [...words, `${name}@${version}`], { cwd: root });
    const [made = ""] = await readdir(into.path);
    renameSync(join(into.path, made), kept);
  }
  const bytes = readFileSync(kept);
  const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (found === integrity) return bytes;
  rmSync(kept);
  throw new Error(`npm gave a ${name}@${version} that is not the one of package-lock.json`);
}

function contentOf(entries: readonly Entry[], path: string): Buffer {
  const entry = entries.find((one) => one.path === path);
  if (entry?.kind !== "file") throw new Error(`the package of Node has no ${path}`);
  return entry.content;
}
