import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutRoot } from "../service.ts";

const pip = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"];

/**
 * The Python with all that the lists of requirements name, installed once below
 * node_modules/.cache. Throws where that cannot be done.
 */
export function pythonWith(name: string, lists: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of lists) hash.update(readFileSync(file));
  const word = hash.digest("hex").slice(0, 16);
  const environment = join(checkoutRoot, "node_modules/.cache", name, word);
  const python = join(environment, "bin/python");
  if (existsSync(join(environment, "complete"))) return python;
  rmSync(environment, { recursive: true, force: true });
  run("python3", ["-m", "venv", environment]);
  const listed = lists.flatMap((file) => ["-r", file]);
  run(join(environment, "bin/pip"), [...pip, "--only-binary=:all:", ...listed]);
  writeFileSync(join(environment, "complete"), "");
  return python;
}

/** Installs the Python client of this checkout there, as `pip install --editable` does. */
export function installClient(python: string): void {
  run(python, ["-m", "pip", ...pip, "--no-deps", "--editable", join(checkoutRoot, "python")]);
}

function run(program: string, words: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${program} ${words.join(" ")}:\n${error?.message ?? stdout + stderr}`);
}
