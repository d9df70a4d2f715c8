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
import { pythonEnvironment } from "../python-tools.ts";
import type { Artefact } from "./entries.ts";
import type { Release } from "./release.ts";
import { run } from "./run.ts";

/** Calls the build system that pyproject.toml names, as pip does. */
const program = `
import sys
from flit_core import buildapi
buildapi.build_wheel(sys.argv[1])
buildapi.build_sdist(sys.argv[1])
`;

/**
 * Builds the wheel and the source archive. Both are pure Python, and the same for every machine.
 */
export async function pythonPackages({ root, seconds }: Release): Promise<Artefact[]> {
  const { environment, problem } = pythonEnvironment("requirements-release.txt");
  if (problem !== undefined) throw new Error(problem);
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-python-"));
  const [source, made] = ["source", "made"].map((name) => join(directory.path, name));
  mkdirSync(made);
  const isSource = (path: string) => !path.includes("__pycache__");
  cpSync(join(root, "python/src"), join(source, "src"), { recursive: true, filter: isSource });
  for (const name of ["pyproject.toml", "README.md"]) {
    copyFileSync(join(root, "python", name), join(source, name));
  }
  copyFileSync(join(root, "LICENSE"), join(source, "LICENSE"));
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds) };
  await run(join(environment, "bin/python"), ["-c", program, made], { cwd: source, env });
  return readdirSync(made)
    .sort()
    .map((name) => ({ name, content: readFileSync(join(made, name)) }));
}
