/**
 * Runs one of the Python tools of `npm run check`, in the version of python/requirements-dev.txt:
 *
 *   node scripts/python-tools.ts ruff check .
 *
 * The tools are installed once, by pip, in an environment below node_modules/.cache. Where that
 * is impossible, on a machine without Python, its `venv` or a package index, the script reports it
 * and exits with `notChecked`; in CI that is a failure.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Exit code of a check whose tools this machine lacks. */
export const notChecked = 77;

const python = join(import.meta.dirname, "../python");

if (import.meta.main) {
  const [tool, ...words] = process.argv.slice(2);
  if (tool === undefined) throw new Error("which tool?");
  const { environment, problem } = pythonEnvironment("requirements-dev.txt");
  if (problem === undefined) {
    const program = join(environment, "bin", tool);
    process.exitCode = spawnSync(program, words, { cwd: python, stdio: "inherit" }).status ?? 1;
  } else {
    console.error(problem);
    process.exitCode = process.env["CI"] ? 1 : notChecked;
  }
}

/**
 * Installs the requirements of a file of `python/`; returns the environment, and the problem if
 * that failed.
 */
export function pythonEnvironment(requirements: string): {
  environment: string;
  problem: string | undefined;
} {
  const environment = environmentPath(requirements);
  if (existsSync(join(environment, "complete"))) return { environment, problem: undefined };
  return { environment, problem: install(environment, requirements) };
}

/** Path of the environment: a different one for different requirements. */
function environmentPath(requirements: string): string {
  const wanted = readFileSync(join(python, requirements));
  const name = createHash("sha256").update(wanted).digest("hex").slice(0, 16);
  return join(import.meta.dirname, "../node_modules/.cache/python-tools", name);
}

/** Installs the requirements; returns the problem, if any. */
function install(environment: string, requirements: string): string | undefined {
  rmSync(environment, { recursive: true, force: true });
  const pip = ["install", "--quiet", "--disable-pip-version-check", "--require-hashes"];
  const steps = [
    ["python3", "-m", "venv", environment],
    [join(environment, "bin/pip"), ...pip, "--only-binary=:all:", "-r", requirements],
  ];
  for (const [program, ...rest] of steps) {
    const { status, stdout, stderr, error } = spawnSync(program, rest, {
      cwd: python,
      encoding: "utf8",
    });
    if (status !== 0) return `${program} ${rest.join(" ")}:\n${error?.message ?? stdout + stderr}`;
  }
  writeFileSync(join(environment, "complete"), "");
  return undefined;
}
