import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { checkoutRoot } from "./service.ts";

suite("the program of a clone", async () => {
  const clone = await mkdtempDisposable(join(tmpdir(), "lossless-clone-"));
  after(() => clone[Symbol.asyncDispose]());
  const at = (...path: string[]) => join(clone.path, ...path);
  const isMade = (path: string) => /\/(dist|node_modules)$/.test(path);
  for (const name of ["package.json", "package-lock.json", "protocol", "client", "server", "cli"])
    cpSync(join(checkoutRoot, name), at(name), {
      recursive: true,
      filter: (path) => !isMade(path),
    });
  mkdirSync(at("node_modules/@lossless"), { recursive: true });
  for (const name of ["protocol", "client", "server", "cli"])
    symlinkSync(at(name), at("node_modules/@lossless", name));
  for (const name of readdirSync(join(checkoutRoot, "node_modules")))
    if (name !== "@lossless" && name !== ".cache")
      symlinkSync(join(checkoutRoot, "node_modules", name), at("node_modules", name));

  /** Says the version, and what else the start says. */
  async function start(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const words = [at("cli/bin/lossless.js"), "serve", "--version"];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }
  const programs = () => readdirSync(at("server/dist"));

  test("starts at once make one, and later ones use it", async () => {
    const all = await Promise.all([start(), start(), start()]);
    for (const { code, stdout, stderr } of all) {
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
      assert.equal(stderr, "");
    }
    const made = programs();
    assert.equal(made.length, 1, made.join());
    const { mtimeMs } = statSync(at("server/dist", made[0]));
    await start();
    assert.deepEqual(programs(), made);
    assert.equal(statSync(at("server/dist", made[0])).mtimeMs, mtimeMs);
  });

  test("a source that changed makes another one, and a damaged one is not used", async () => {
    const [before] = programs();
    const source = at("server/src/main.ts");
    const { atime, mtime } = statSync(source);
    const text = readFileSync(source, "utf8");
    writeFileSync(source, text.replace("print(manifest.version)", "print(manifest.license)"));
    // Its time is as before, and so is its size.
    utimesSync(source, atime, mtime);
    assert.equal(readFileSync(source, "utf8").length, text.length);
    assert.match((await start()).stdout, /^Apache-2\.0$/m);
    const [made] = programs().filter((name) => name !== before);
    truncateSync(at("server/dist", made, "main.js"), 1_000);
    const damaged = await start();
    assert.match(damaged.stdout, /^Apache-2\.0$/m, damaged.stderr);
  });

  test("where none can be made the sources start, and say so", async () => {
    rmSync(at("server/dist"), { recursive: true });
    writeFileSync(at("server/dist"), "no directory");
    const { code, stdout, stderr } = await start();
    assert.equal(code, 0);
    assert.match(stdout, /^Apache-2\.0$/m);
    assert.match(stderr, /starts from its sources, which takes longer: Error: /);
  });
});
