/** What a release is of: a version and a commit, both held to what the clone says of itself. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";

export interface Release {
  root: string;
  version: string;
  /** The time of every file, in seconds: the commit's, or SOURCE_DATE_EPOCH. */
  seconds: number;
}

/**
 * Throws when the clone names two versions, when something is not committed (unless that is
 * allowed), or when a commit with the tag of a version has a changelog that calls it unreleased.
 */
export async function describeRelease(root: string, allowChanges: boolean): Promise<Release> {
  const version = oneVersion(root);
  const git = (...words: string[]) => run("git", words, { cwd: root }).then(String);
  if (!allowChanges) {
    const changed = (await git("status", "--porcelain")).trimEnd();
    if (changed !== "") {
      throw new Error(`a release is made of a commit, and these differ from it:\n${changed}`);
    }
    const tags = (await git("tag", "--points-at", "HEAD")).split("\n");
    const [heading = ""] =
      new RegExp(`^## \\[${version}\\].*$`, "m").exec(text(root, "CHANGELOG.md")) ?? [];
    if (tags.includes(`v${version}`) && !/ - \d{4}-\d\d-\d\d$/.test(heading)) {
      throw new Error(`the tag v${version} is here, and CHANGELOG.md has no date for ${version}`);
    }
  }
  const named = process.env["SOURCE_DATE_EPOCH"];
  const seconds = Number(named ?? (await git("log", "-1", "--format=%ct")));
  if (!Number.isSafeInteger(seconds)) throw new Error(`SOURCE_DATE_EPOCH is no number: ${named}`);
  return { root, version, seconds };
}

const manifests = ["", "protocol/", "client/", "server/", "cli/", "web/"];

/** Where the version stands, and behind what. */
const places: readonly (readonly [path: string, pattern: RegExp])[] = [
  ...manifests.map((folder) => [`${folder}package.json`, /^  "version": "(.+)"/gm] as const),
  ["python/pyproject.toml", /^version = "(.+)"$/gm],
  ["python/src/lossless/_ground/version.py", /^\w+(?:: \w+)? = "(.+)"$/gm],
  ...["embedded", "postgres"].map(
    (name) => [`deploy/kubernetes/${name}/kustomization.yaml`, /^    newTag: (.+)$/gm] as const,
  ),
];

function oneVersion(root: string): string {
  const found = new Map<string, string>();
  for (const [path, pattern] of places)
    for (const [, version] of text(root, path).matchAll(pattern)) found.set(path, version);
  for (const [path] of places) if (!found.has(path)) found.set(path, "none");
  const versions = new Set(found.values());
  if (versions.size === 1) return [...versions][0];
  const lines = [...found].map(([path, version]) => `${path}: ${version}`);
  throw new Error(`a release has one version, the clone names several:\n${lines.join("\n")}`);
}

interface Lock {
  version: string;
  packages: Record<string, { version?: string; [kind: string]: unknown }>;
}

/** Writes another version in all places, in what the packages say of each other, and the lock. */
export function setVersion(root: string, version: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is no version like 0.2.0`);
  const before = oneVersion(root);
  const named = (whole: string) => whole.replace(before, () => version);
  const dependency = /^    "@lossless\/\w+": ".+"/gm;
  for (const [path, pattern] of places) {
    const written = text(root, path).replaceAll(pattern, named).replaceAll(dependency, named);
    writeFileSync(join(root, path), written);
  }
  const lock = JSON.parse(text(root, "package-lock.json")) as Lock;
  lock.version = version;
  for (const folder of manifests) {
    const row = lock.packages[folder.replace("/", "")];
    row.version = version;
    for (const kind of ["dependencies", "optionalDependencies", "peerDependencies"]) {
      const needs = (row[kind] ?? {}) as Record<string, string>;
      for (const name of Object.keys(needs))
        if (name.startsWith("@lossless/")) needs[name] = version;
    }
  }
  writeFileSync(join(root, "package-lock.json"), `${JSON.stringify(lock, undefined, 2)}\n`);
}

function text(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}
