import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { guard } from "./guardian.ts";

const isThere = (target: number): boolean => {
  try {
    return process.kill(target, 0);
  } catch {
    return false;
  }
};

/** A group of processes, as `kill` takes it. */
async function startGroup(): Promise<number> {
  const script = "echo ready; exec sleep 1000";
  const shell = spawn("sh", ["-c", script], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  await once(shell.stdout, "data");
  return -shell.pid!;
}

test("what is guarded ends with its directory when it is disposed", async () => {
  const target = await startGroup();
  const directory = mkdtempSync(join(tmpdir(), "lossless-guarded-"));
  await guard({ target, signal: "TERM", directory })[Symbol.asyncDispose]();
  assert.deepEqual([isThere(target), existsSync(directory)], [false, false]);
});

test("it ends, too, when the process that guards it is killed", async () => {
  const target = await startGroup();
  const directory = mkdtempSync(join(tmpdir(), "lossless-guarded-"));
  const script = `import { guard } from ${JSON.stringify(join(import.meta.dirname, "guardian.ts"))};
    guard(${JSON.stringify({ target, signal: "TERM", directory })});
    console.log("guarded");
    setInterval(() => {}, 1_000);`;
  const words = ["--input-type=module", "--eval", script];
  const guarding = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  await once(guarding.stdout, "data");
  guarding.kill("SIGKILL");
  while (isThere(target) || existsSync(directory)) await setTimeout(20);
});
