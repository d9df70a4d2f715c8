import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { DirectoryForeign, DirectoryInUse, lockDirectory } from "./lock.ts";

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "lossless-lock-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("a directory is made for its owner only, and so are the files in it", (t) => {
  const directory = join(temporaryDirectory(t), "new", "data");
  using lock = lockDirectory(directory);
  assert.deepEqual(lock.warnings, []);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  assert.equal(statSync(join(directory, "lock.db")).mode & 0o777, 0o600);
});

test("a directory that others can read is closed to them, with a warning", (t) => {
  const directory = temporaryDirectory(t);
  chmodSync(directory, 0o755);
  using lock = lockDirectory(directory);
  assert.match(lock.warnings[0], /was open to other users/);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
});

test("a directory of another user is refused", (t) => {
  const directory = temporaryDirectory(t);
  const { uid } = statSync(directory);
  t.mock.method(process as { getuid(): number }, "getuid", () => uid + 1);
  assert.throws(() => lockDirectory(directory), DirectoryForeign);
});

test("a second lock in one process is refused, and the first one still holds against others", (t) => {
  const directory = temporaryDirectory(t);
  using lock = lockDirectory(directory);
  assert.throws(() => lockDirectory(directory), DirectoryInUse);
  const script = `
    const { lockDirectory } = await import(${JSON.stringify(import.meta.resolve("./lock.ts"))});
    lockDirectory(${JSON.stringify(directory)});`;
  const other = spawnSync(process.execPath, ["--input-type=module", "--eval", script]);
  assert.match(other.stderr.toString(), /DirectoryInUse/);
  assert.deepEqual(lock.warnings, []);
});

test("a second process is refused; after kill -9 of the first the lock is free at once", async (t) => {
  const directory = temporaryDirectory(t);
  const script = `
    const { lockDirectory } = await import(${JSON.stringify(import.meta.resolve("./lock.ts"))});
    const lock = lockDirectory(${JSON.stringify(directory)});
    console.log("locked");
    setInterval(() => lock.warnings, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(owner.stdout, "data");
  assert.throws(() => lockDirectory(directory), DirectoryInUse);
  owner.kill("SIGKILL");
  await once(owner, "exit");
  using lock = lockDirectory(directory);
  assert.deepEqual(lock.warnings, []);
});

test("a directory that holds other things keeps its mode, with a warning", () => {
  const directory = mkdtempSync(join(tmpdir(), "lossless-lock-"));
  try {
    chmodSync(directory, 0o755);
    writeFileSync(join(directory, "thesis.tex"), "");
    using lock = lockDirectory(directory);
    assert.match(lock.warnings.join(), /was not changed/);
    assert.equal(statSync(directory).mode & 0o777, 0o755);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("what cannot be a directory is refused at once", () => {
  assert.throws(() => lockDirectory("/dev/null"), { name: "DirectoryUnusable" });
  assert.throws(() => lockDirectory("/dev/null/data"), { name: "DirectoryUnusable" });
});
