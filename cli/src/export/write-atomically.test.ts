import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PartialFiles, writeAtomically } from "./write-atomically.ts";

const here = JSON.stringify(import.meta.resolve("./write-atomically.ts"));
const interruption = JSON.stringify(import.meta.resolve("../interruption.ts"));

/** A program that writes until a signal stops it, and says when it has begun. */
const endless = `
  import { PartialFiles, writeAtomically } from ${here};
  import { Interruption } from ${interruption};
  const partials = new PartialFiles();
  using interruption = new Interruption(() => partials.removeAll());
  async function* text() {
    yield "begun";
    console.log("begun");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  await writeAtomically(process.argv[1], text(), { overwrite: false, partials });
`;

test("directories are made one by one and the file is whole", async () => {
  await using directory = await scratch();
  const path = join(directory.path, "a/b/c.csv");
  const text = (async function* () {
    yield "step\n";
  })();
  await writeAtomically(path, text, { overwrite: false, partials: new PartialFiles() });
  assert.equal(await readFile(path, "utf8"), "step\n");
  assert.deepEqual(await readdir(join(directory.path, "a/b")), ["c.csv"]);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} leaves no partial file, and ends the program by that signal`, async () => {
    await using directory = await scratch();
    const words = ["--input-type=module-typescript", "-e", endless, join(directory.path, "x.csv")];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    child.kill(signal);
    assert.deepEqual(await ended, [null, signal]);
    assert.deepEqual(await readdir(directory.path), []);
  });
}

async function scratch() {
  const path = await mkdtemp(join(tmpdir(), "lossless-export-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
