import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The Python that has MLflow, installed once below node_modules/.cache, with what these lists in
 * this folder name. Throws where that cannot be done: without MLflow itself nothing is known about
 * its clients.
 */
export function mlflowPython(...lists: string[]): string {
  const names = lists.length > 0 ? lists : ["requirements.txt"];
  const files = names.map((name) => join(import.meta.dirname, name));
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const name = hash.digest("hex").slice(0, 16);
  const environment = join(import.meta.dirname, "../../node_modules/.cache/mlflow", name);
  const python = join(environment, "bin/python");
  if (existsSync(join(environment, "complete"))) return python;
  rmSync(environment, { recursive: true, force: true });
  run("python3", ["-m", "venv", environment]);
  const pip = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"];
  const listed = files.flatMap((file) => ["-r", file]);
  run(join(environment, "bin/pip"), [...pip, "--only-binary=:all:", ...listed]);
  writeFileSync(join(environment, "complete"), "");
  return python;
}

function run(program: string, words: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${program} ${words.join(" ")}:\n${error?.message ?? stdout + stderr}`);
}
