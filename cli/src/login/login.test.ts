import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { browserOpener } from "./browser.ts";
import { loginFilePath, readLogin, writeLogin } from "./login-file.ts";
import { lockLogin } from "./login-lock.ts";

const directory = mkdtempSync(join(tmpdir(), "lossless-lock-"));
const home = join(directory, "home");
const file = join(directory, "login.json");
after(() => rmSync(directory, { recursive: true }));

test("one holds the lock at a time, and nothing stays behind", async () => {
  let holders = 0;
  const hold = async (): Promise<void> => {
    await using _ = await lockLogin(file);
    holders += 1;
    assert.equal(holders, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    holders -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, hold));
  assert.deepEqual(readdirSync(directory), []);
});

test("the lock of a process that died is taken over by one alone", async () => {
  writeFileSync(`${file}.lock`, "");
  let holders = 0;
  const hold = async (): Promise<void> => {
    // Much longer than any holder keeps it, even on a busy machine.
    await using _ = await lockLogin(file, { staleMs: 2_000 });
    holders += 1;
    assert.equal(holders, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    holders -= 1;
  };
  await Promise.all(Array.from({ length: 3 }, hold));
  assert.deepEqual(readdirSync(directory), []);
});

test("who held it too long leaves the lock of the next one alone", async () => {
  const slept = await lockLogin(file);
  const next = await lockLogin(file, { staleMs: 0 });
  await slept[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(directory), ["login.json.lock"]);
  await next[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(directory), []);
});

test("the login file is whole or not there", async () => {
  const login = {
    url: "https://lossless.example",
    accessToken: "at_x",
    refreshToken: "rt_x",
    expiresAtMs: 1,
    organization: null,
  };
  const path = join(directory, "made", "lossless", "login.json");
  assert.equal(readLogin(path), undefined);
  await writeLogin(path, login);
  await writeLogin(path, { ...login, organization: { id: "o", name: "acme" } });
  assert.deepEqual(readLogin(path)?.organization, { id: "o", name: "acme" });
  for (const damaged of ["", "[]", "null", "{}", JSON.stringify({ ...login, expiresAtMs: "1" })]) {
    writeFileSync(path, damaged);
    assert.throws(() => readLogin(path), /is damaged/);
  }
});

test("where settings are kept, and which browser is opened", () => {
  assert.equal(
    loginFilePath({ HOME: home }, "linux"),
    join(home, ".config", "lossless", "login.json"),
  );
  const named = { HOME: home, XDG_CONFIG_HOME: join(directory, "etc") };
  assert.equal(
    loginFilePath(named, "linux"),
    join(join(directory, "etc"), "lossless", "login.json"),
  );
  const nobody = { HOME: "", XDG_CONFIG_HOME: "" };
  assert.equal(loginFilePath(nobody, "linux"), undefined);
  assert.equal(readLogin(undefined), undefined);
  const relative = { HOME: home, XDG_CONFIG_HOME: "ada" };
  assert.equal(loginFilePath(relative, "linux"), loginFilePath({ HOME: home }, "linux"));
  assert.equal(browserOpener({}, "linux"), undefined);
  assert.deepEqual(browserOpener({ DISPLAY: ":0" }, "linux"), ["xdg-open"]);
  assert.deepEqual(browserOpener({ BROWSER: "firefox" }, "linux"), ["firefox"]);
  assert.deepEqual(browserOpener({}, "darwin"), ["open"]);
  assert.equal(browserOpener({ DISPLAY: ":0", SSH_TTY: "/dev/pts/1" }, "linux"), undefined);
});
