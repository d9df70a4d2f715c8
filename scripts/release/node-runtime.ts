import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Entry } from "./entries.ts";
import { type Lock, type LockedPackage, locked } from "./installed.ts";
import { run } from "./run.ts";
import { readTar } from "./tar.ts";

/** What Node calls the processors for which there is a release. */
export const architectures = ["x64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

/** Where what registries gave is kept for the next release; its content is compared at each use. */
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
 * `bin/node` and its licence, of the version that `npm ci` brings, for either processor. It is not
 * taken from node_modules, which has one of them only: npm fetches it, and the hash of
 * package-lock.json decides.
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
    const into = await mkdtemp(join(cacheDirectory(root), "pack-"));
    try {
      const words = ["pack", "--silent", "--ignore-scripts", "--pack-destination", into];
      await run("npm", [...words, `${name}@${version}`], { cwd: root });
      const [made = ""] = await readdir(into);
      renameSync(join(into, made), kept);
    } finally {
      rmSync(into, { recursive: true, force: true });
    }
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
