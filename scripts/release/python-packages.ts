import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pythonWheel } from "../../web/python-wheel.ts";
import { pythonEnvironment } from "../python-tools.ts";
import type { Artefact } from "./entries.ts";
import type { Release } from "./release.ts";
import { run } from "./run.ts";

/** Calls the build systems that the files pyproject.toml name, as pip does. */
const program = `
import os, sys
made = sys.argv[1]
sys.path.insert(0, os.path.abspath("build_backend"))
import start_hook
start_hook.build_sdist(made)
os.chdir("as-wandb")
start_hook.build_wheel(made)
`;

/** The files of the packages, besides the modules and the licence. */
const files = [
  "pyproject.toml",
  "README.md",
  "lossless_hook.pth",
  "build_backend/start_hook.py",
  ...["pyproject.toml", "README.md", "lossless_hook_always.pth"].map((name) => `as-wandb/${name}`),
];

/**
 * Builds the wheel and the source archive of the client, and the wheel of the package that answers
 * `import wandb`. All are pure Python, and the same for every machine.
 */
export async function pythonPackages({ root, seconds }: Release): Promise<Artefact[]> {
  const { environment, problem } = pythonEnvironment("requirements-release.txt");
  if (problem !== undefined) throw new Error(problem);
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-python-"));
  const [source, made] = ["source", "made"].map((name) => join(directory.path, name));
  mkdirSync(made);
  const isSource = (path: string) => !path.includes("__pycache__");
  for (const folder of ["src", "as-wandb/lossless_as_wandb"]) {
    const options = { recursive: true, filter: isSource };
    cpSync(join(root, "python", folder), join(source, folder), options);
  }
  mkdirSync(join(source, "build_backend"));
  for (const name of files) copyFileSync(join(root, "python", name), join(source, name));
  for (const folder of ["", "as-wandb"]) {
    copyFileSync(join(root, "LICENSE"), join(source, folder, "LICENSE"));
  }
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds), PYTHONDONTWRITEBYTECODE: "1" };
  await run(join(environment, "bin/python"), ["-c", program, made], { cwd: source, env });
  const others = readdirSync(made).map((name) => ({
    name,
    content: readFileSync(join(made, name)),
  }));
  return [pythonWheel(root), ...others].sort((one, other) => (one.name < other.name ? -1 : 1));
}
