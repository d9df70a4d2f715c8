import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const requirements = join(import.meta.dirname, "requirements.txt");

/**
 * The Python that has MLflow, installed once below node_modules/.cache. Throws where that cannot be
 * done: without MLflow itself nothing is known about its clients.
 */
export function mlflowPython(): string {
  const name = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 16);
  const environment = join(import.meta.dirname, "../../node_modules/.cache/mlflow", name);
  const python = join(environment, "bin/python");
  if (existsSync(join(environment, "complete"))) return python;
  rmSync(environment, { recursive: true, force: true });
  run("python3", ["-m", "venv", environment]);
  const pip = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"];
  run(join(environment, "bin/pip"), [...pip, "--only-binary=:all:", "-r", requirements]);
  writeFileSync(join(environment, "complete"), "");
  return python;
}

function run(program: string, words: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${program} ${words.join(" ")}:\n${error?.message ?? stdout + stderr}`);
}
