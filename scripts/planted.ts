import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export const root = join(import.meta.dirname, "..");

/** Makes a directory of the given files, removed at the end of the block: for planting faults. */
export async function plantedTree(files: Record<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), "lossless-planted-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return {
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The rules that oxlint reports with the project's own configuration, by file. */
export async function lintPlanted(files: Record<string, string>) {
  const configuration = await readFile(join(root, ".oxlintrc.json"), "utf8");
  const tsconfig = await readFile(join(root, "tsconfig.json"), "utf8");
  await using tree = await plantedTree({
    ".oxlintrc.json": configuration,
    "tsconfig.json": tsconfig.replace(/"include": \[[^\]]*\]/, '"include": ["**/*.ts"]'),
    ...files,
  });
  await symlink(join(root, "node_modules"), join(tree.directory, "node_modules"));
  const report = await oxlint(tree.directory, Object.keys(files));
  const found = new Map<string, Set<string>>(Object.keys(files).map((file) => [file, new Set()]));
  for (const { filename, code } of report.diagnostics) {
    const path = relative(tree.directory, join(tree.directory, filename));
    found.get(path)?.add(/\((.+)\)$/.exec(code ?? "")?.[1] ?? String(code));
  }
  return found;
}

type LintReport = { diagnostics: { filename: string; code?: string }[] };

/**
 * Runs oxlint, which exits with 1 when it finds something; only output that is no report is a
 * failure.
 */
async function oxlint(directory: string, paths: string[]): Promise<LintReport> {
  const program = join(root, "node_modules/oxlint/bin/oxlint");
  const { promise, resolve, reject } = Promise.withResolvers<LintReport>();
  const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024 };
  execFile(process.execPath, [program, "-f", "json", ...paths], options, (_, stdout, stderr) => {
    if (stdout.startsWith("{")) resolve(JSON.parse(stdout) as LintReport);
    else reject(new Error(`oxlint gave no report: ${stdout}${stderr}`));
  });
  return promise;
}
