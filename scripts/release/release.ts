/** What a release is of: a version and a commit, both held to what the clone says of itself. */
import { readFileSync } from "node:fs";
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

function oneVersion(root: string): string {
  const found = new Map<string, string>(
    manifests.map((folder) => {
      const path = `${folder}package.json`;
      return [path, (JSON.parse(text(root, path)) as { version: string }).version];
    }),
  );
  for (const [path, pattern] of [
    ["python/pyproject.toml", /^version = "(.+)"$/m],
    ["python/src/lossless/_ground/version.py", /^\w+(?:: \w+)? = "(.+)"$/m],
  ] as const) {
    found.set(path, pattern.exec(text(root, path))?.[1] ?? "none");
  }
  const versions = new Set(found.values());
  if (versions.size === 1) return [...versions][0];
  const lines = [...found].map(([path, version]) => `${path}: ${version}`);
  throw new Error(`a release has one version, the clone names several:\n${lines.join("\n")}`);
}

function text(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}
