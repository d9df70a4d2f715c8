import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstat, mkdtempDisposable, readFile, readlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { directory, type Entry, file, link } from "./entries.ts";
import { readTar, tar } from "./tar.ts";

const long = `${"folder/".repeat(20)}${"name".repeat(20)}`;
const entries: Entry[] = [
  file("b/program", "#!/bin/sh\n", 0o755),
  file("b/empty", ""),
  link("b/link", "program"),
  file(long, "x".repeat(1000)),
  { ...directory("a", 0o700), owner: 65532 },
];
const seconds = 1_700_000_000;

async function inDirectory(body: (path: string) => Promise<void>): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-tar-"));
  await body(directory.path);
}

test("tar unpacks what was packed, with modes, links and times", () =>
  inDirectory(async (path) => {
    execFileSync("tar", ["-x", "-p", "-C", path], { input: tar(entries, seconds) });
    assert.equal(await readFile(join(path, long), "utf8"), "x".repeat(1000));
    assert.equal(await readFile(join(path, "b/empty"), "utf8"), "");
    assert.equal(await readlink(join(path, "b/link")), "program");
    const program = await lstat(join(path, "b/program"));
    assert.equal(program.mode & 0o777, 0o755);
    assert.equal(program.mtimeMs, seconds * 1000);
    assert.equal((await lstat(join(path, "a"))).mode & 0o777, 0o700);
  }));

test("tar lists the owners, the prefix, and folders before what is in them", () => {
  const archive = tar(entries, seconds, "./");
  const list = execFileSync("tar", ["-tv", "--numeric-owner"], {
    input: archive,
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC" },
  });
  const lines = list.trimEnd().split("\n");
  assert.match(lines[0], /^drwx------ 65532\/65532 +0 2023-11-14 22:13 \.\/a\/$/);
  assert.match(lines[1], /^drwxr-xr-x 0\/0 .* \.\/b\/$/);
  assert.match(lines[3], /^lrwxrwxrwx 0\/0 .* \.\/b\/link -> program$/);
});

test("the order of the entries changes nothing", () => {
  assert.deepEqual(tar(entries.toReversed(), seconds), tar(entries, seconds));
});

test("what does not fit a header, and a path given twice, are refused", () => {
  assert.throws(() => tar([file("n".repeat(101), "")], seconds), /too long a path/);
  assert.throws(() => tar([link("a", "t".repeat(101))], seconds), /too long a link/);
  assert.throws(() => tar([file("a", ""), file("a", "")], seconds), /two entries are a/);
});

test("archives are read as tar writes them, in each of its formats", () =>
  inDirectory(async (path) => {
    execFileSync("tar", ["-x", "-C", path], { input: tar(entries, seconds) });
    for (const format of ["ustar", "gnu", "pax"]) {
      const archive = execFileSync("tar", ["-c", "-C", path, `--format=${format}`, "."]);
      const read = new Map([...readTar(archive)].map((entry) => [entry.path, entry]));
      assert.deepEqual([...read.keys()].sort(), ["b/empty", "b/link", "b/program", long].sort());
      const found = read.get(long);
      assert.equal(found?.kind === "file" && found.content.toString(), "x".repeat(1000), format);
    }
  }));
