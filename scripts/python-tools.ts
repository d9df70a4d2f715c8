/**
 * One of the Python tools that `npm run check` runs, in the versions of
 * python/requirements-dev.txt:
 *
 *   node scripts/python-tools.ts ruff check .
 *
 * The tools are installed once, by pip, in an environment below node_modules/.cache. Where that
 * cannot be done, on a machine without a Python, without its `venv` or without a package index, it
 * says so and ends with `notChecked`; where CI runs that is a failure.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The exit code of a part that takes what this machine does not have. */
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

/** Where what a file of `python/` names is installed, and what stood in the way if it is not. */
export function pythonEnvironment(requirements: string): {
  environment: string;
  problem: string | undefined;
} {
  const environment = environmentPath(requirements);
  if (existsSync(join(environment, "complete"))) return { environment, problem: undefined };
  return { environment, problem: install(environment, requirements) };
}

/** Another one for other versions of the tools. */
function environmentPath(requirements: string): string {
  const wanted = readFileSync(join(python, requirements));
  const name = createHash("sha256").update(wanted).digest("hex").slice(0, 16);
  return join(import.meta.dirname, "../node_modules/.cache/python-tools", name);
}

/** Gives what stood in the way. */
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
