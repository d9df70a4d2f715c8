import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { plantedTree, root } from "../planted.ts";
import { publishedManifest } from "./emitted.ts";
import { documents } from "./program.ts";
import { describeRelease, setVersion } from "./release.ts";

const folders = ["", "protocol", "client", "server", "cli", "web"];
const kustomization = "images:\n  - name: a\n    newTag: 1.2.3\n";

/** A package.json; the command's depends on our other packages, and on a foreign one. */
function manifest(folder: string, version = "1.2.3", needed = "1.2.3", peer = "1.2.3"): object {
  if (folder !== "cli") return { version };
  const dependencies = { "@lossless/client": needed, typebox: "1.0.0" };
  return { version, dependencies, peerDependencies: { "@lossless/server": peer } };
}

function lock(version: string, rows: Record<string, object> = {}): string {
  const packages = Object.fromEntries(folders.map((folder) => [folder, manifest(folder)]));
  return JSON.stringify({ version, packages: { ...packages, ...rows } });
}

const sound = {
  ...Object.fromEntries(
    folders.map((folder) => [join(folder, "package.json"), JSON.stringify(manifest(folder))]),
  ),
  "package-lock.json": lock("1.2.3"),
  "python/pyproject.toml": '[project]\nversion = "1.2.3"\n',
  "python/as-wandb/pyproject.toml": 'version = "1.2.3"\ndependencies = ["lossless == 1.2.3"]\n',
  "python/src/lossless/_ground/version.py": '__version__ = "1.2.3"\n',
  "python/README.md": "pip install http://a/assets/lossless-1.2.3-py3-none-any.whl\n",
  "README.md": "pip install http://a/assets/lossless-1.2.3-py3-none-any.whl\n",
  "deploy/kubernetes/embedded/kustomization.yaml": kustomization,
  "deploy/kubernetes/postgres/kustomization.yaml": kustomization,
  "CHANGELOG.md": "# Changelog\n\n## [1.2.3] - unreleased\n",
};

async function committed(planted: Record<string, string> = {}) {
  const tree = await plantedTree({ ...sound, ...planted });
  const git = (...words: string[]) => {
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@acme.test"];
    return execFileSync("git", [...author, ...words], {
      cwd: tree.directory,
      env: { ...process.env, GIT_COMMITTER_DATE: "2023-11-14T22:13:20Z" },
    }).toString();
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "all");
  return { ...tree, git };
}

test("a release has the version of the clone and the time of its commit", async () => {
  await using clone = await committed();
  const root = clone.directory;
  assert.deepEqual(await describeRelease(root, false), {
    root,
    version: "1.2.3",
    seconds: 1_700_000_000,
  });
});

test("two versions in one clone are refused, each with its file", async () => {
  const other = "    newTag: 1.2.4\n";
  for (const [path, text] of [
    ["web/package.json", '{\n  "version": "1.2.4"\n}\n'],
    ["cli/package.json", JSON.stringify(manifest("cli", "1.2.3", "1.2.4"))],
    ["cli/package.json", JSON.stringify(manifest("cli", "1.2.3", "1.2.3", "1.2.4"))],
    ["package-lock.json", lock("1.2.4")],
    ["package-lock.json", lock("1.2.3", { web: manifest("web", "1.2.4") })],
    ["package-lock.json", lock("1.2.3", { cli: manifest("cli", "1.2.3", "1.2.4") })],
    ["python/pyproject.toml", 'version = "1.2.4"\n'],
    ["python/as-wandb/pyproject.toml", 'version = "1.2.3"\ndependencies = ["lossless == 1.2.4"]\n'],
    ["python/src/lossless/_ground/version.py", '__version__ = "1.2.4"\n'],
    ["README.md", "pip install http://a/assets/lossless-1.2.4-py3-none-any.whl\n"],
    ["deploy/kubernetes/embedded/kustomization.yaml", `${kustomization}${other}`],
    ["deploy/kubernetes/postgres/kustomization.yaml", `${other}${kustomization}`],
  ]) {
    await using clone = await committed({ [path]: text });
    await assert.rejects(describeRelease(clone.directory, true), new RegExp(`${path}: 1.2.4`));
  }
  await using clone = await committed({ "web/package.json": "{}", "python/pyproject.toml": "" });
  const none = /\nweb\/package\.json: none\n[^]*\npython\/pyproject\.toml: none\n/;
  await assert.rejects(describeRelease(clone.directory, true), none);
});

test("another version is written wherever this clone has one, and nowhere else", async () => {
  const paths = Object.keys(sound);
  const own = paths.map((path) => [path, readFileSync(join(root, path), "utf8")]);
  await using clone = await committed(Object.fromEntries(own) as Record<string, string>);
  const { version } = await describeRelease(clone.directory, true);
  setVersion(clone.directory, "9.8.7");
  assert.equal((await describeRelease(clone.directory, true)).version, "9.8.7");
  for (const path of paths.filter((each) => each.endsWith(".json"))) {
    const written = readFileSync(join(clone.directory, path), "utf8");
    assert.doesNotMatch(written, new RegExp(`"@lossless/\\w+": "${version}"`), path);
  }
  setVersion(clone.directory, version);
  assert.equal(clone.git("status", "--porcelain"), "");
});

test("what is not committed is refused, unless it is only tried", async () => {
  await using clone = await committed();
  writeFileSync(join(clone.directory, "new.ts"), "");
  await assert.rejects(describeRelease(clone.directory, false), /differ from it:\n\?\? new\.ts/);
  assert.equal((await describeRelease(clone.directory, true)).version, "1.2.3");
});

test("a commit with the tag of a version has that version, and a date in its changelog", async () => {
  await using clone = await committed();
  clone.git("tag", "v1.2.3");
  await assert.rejects(describeRelease(clone.directory, false), /CHANGELOG\.md has no date/);
  await using dated = await committed({ "CHANGELOG.md": "# C\n\n## [1.2.3] - 2026-12-01\n" });
  dated.git("tag", "v1.2.3");
  dated.git("tag", "vendored");
  assert.equal((await describeRelease(dated.directory, false)).version, "1.2.3");
  dated.git("tag", "-a", "v1.2.4", "-m", "1.2.4");
  await assert.rejects(
    describeRelease(dated.directory, false),
    /the tag v1\.2\.4 is here, and the version is 1\.2\.3/,
  );
});

test("the pages that go with the program link to what goes with it", () => {
  const entries = documents(root);
  const there = ["README.md", "CHANGELOG.md", ...entries.map(({ path }) => path)];
  for (const entry of entries) {
    if (entry.kind !== "file" || !entry.path.endsWith(".md")) continue;
    for (const [, link] of entry.content.toString().matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)) {
      const path = join(entry.path, "..", link);
      const isThere = there.some((each) => each === path || each.startsWith(`${path}/`));
      assert.ok(isThere, `${entry.path}: ${link}`);
    }
  }
});

test("a published manifest is public, and exports JavaScript with its types", () => {
  const published = JSON.parse(
    publishedManifest('{ "name": "a", "private": true, "exports": { "./*": "./src/*.ts" } }'),
  ) as unknown;
  assert.deepEqual(published, {
    name: "a",
    exports: { "./*": { types: "./src/*.d.ts", default: "./src/*.js" } },
    publishConfig: { access: "public" },
  });
});
