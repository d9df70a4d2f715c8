/** The version and the commit of a release, checked against the clone. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";

export interface Release {
  root: string;
  version: string;
  /** Modification time of every file, in seconds: the commit's, or SOURCE_DATE_EPOCH. */
  seconds: number;
}

/**
 * Describes the release. Throws when the clone names two versions, when changes are uncommitted
 * (unless that is allowed), or when the commit has the tag of another version, or the tag of this
 * one without a date in the changelog.
 */
export async function describeRelease(root: string, allowChanges: boolean): Promise<Release> {
  const version = oneVersion(root);
  const git = (...words: string[]) => run("git", words, { cwd: root }).then(String);
  if (!allowChanges) {
    const changed = (await git("status", "--porcelain")).trimEnd();
    if (changed !== "") {
      throw new Error(`a release is made of a commit, and these differ from it:\n${changed}`);
    }
    const tags = (await git("tag", "--points-at", "HEAD", "--list", "v[0-9]*")).trimEnd();
    if (tags !== "") refuseOtherTags(root, version, tags.split("\n"));
  }
  const named = process.env["SOURCE_DATE_EPOCH"];
  const seconds = Number(named ?? (await git("log", "-1", "--format=%ct")));
  if (!Number.isSafeInteger(seconds)) throw new Error(`SOURCE_DATE_EPOCH is no number: ${named}`);
  return { root, version, seconds };
}

function refuseOtherTags(root: string, version: string, tags: readonly string[]): void {
  const other = tags.find((tag) => tag !== `v${version}`);
  if (other !== undefined)
    throw new Error(`the tag ${other} is here, and the version is ${version}`);
  const escaped = version.replaceAll(".", "\\.");
  const dated = new RegExp(`^## \\[${escaped}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m");
  if (dated.test(text(root, "CHANGELOG.md"))) return;
  throw new Error(`the tag v${version} is here, and CHANGELOG.md has no date for ${version}`);
}

/** Folders with a package.json, each with a row in the lock. */
const packages = ["", "protocol", "client", "server", "cli", "web"];
const lockPath = "package-lock.json";

/** Patterns of the version in files that are no JSON. */
const patterns: ReadonlyMap<string, RegExp> = new Map([
  ["python/pyproject.toml", /^version = "(.+)"$/gm],
  ["python/as-wandb/pyproject.toml", /^(?:version = "|dependencies = \["lossless == )(.+?)"/gm],
  ["python/src/lossless/_ground/version.py", /^\w+(?:: \w+)? = "(.+)"$/gm],
  // Where pip finds the client.
  ...["README.md", "python/README.md"].map(
    (path) => [path, /\/assets\/lossless-(.+?)-py3-none-any\.whl/g] as const,
  ),
  ...["embedded", "postgres"].map(
    (name) => [`deploy/kubernetes/${name}/kustomization.yaml`, /^    newTag: (.+)$/gm] as const,
  ),
]);

const needing = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/** Files that contain the version. */
const paths = [...packages.map((name) => join(name, "package.json")), lockPath, ...patterns.keys()];

/** A package.json, or the row of a package in the lock. */
interface Manifest {
  version?: string;
  [field: string]: unknown;
}

/** Returns the text of a file with each of our versions replaced by `change`. */
function changed(path: string, before: string, change: (found: string) => string): string {
  const pattern = patterns.get(path);
  if (pattern !== undefined) {
    return before.replaceAll(pattern, (line, found: string) =>
      line.replace(found, () => change(found)),
    );
  }
  const document = JSON.parse(before) as Manifest & { packages?: Record<string, Manifest> };
  const rows = path === lockPath ? packages.map((name) => document.packages?.[name] ?? {}) : [];
  for (const manifest of [document, ...rows]) {
    manifest.version = change(manifest.version ?? "none");
    for (const kind of needing) {
      const needs = (manifest[kind] ?? {}) as Record<string, string>;
      for (const name of Object.keys(needs))
        if (name.startsWith("@lossless/")) needs[name] = change(needs[name]);
    }
  }
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function oneVersion(root: string): string {
  const found = paths.flatMap((path) => {
    const versions = new Set<string>();
    changed(path, text(root, path), (version) => {
      versions.add(version);
      return version;
    });
    return [...(versions.size === 0 ? ["none"] : versions)].map((version) => ({ path, version }));
  });
  const [{ version }] = found;
  if (found.every((each) => each.version === version)) return version;
  const lines = found.map((each) => `${each.path}: ${each.version}`);
  throw new Error(`a release has one version, the clone names several:\n${lines.join("\n")}`);
}

/** Sets the version everywhere, including dependencies between the packages, and the lock. */
export function setVersion(root: string, version: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is no version like 0.2.0`);
  oneVersion(root);
  for (const path of paths)
    writeFileSync(
      join(root, path),
      changed(path, text(root, path), () => version),
    );
}

function text(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}
