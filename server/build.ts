import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  globSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const dist = join(import.meta.dirname, "dist");
/** Services that run may be those of earlier sources: so long, and so many, are kept. */
const keptMs = 2 * 86_400_000;
const keptMin = 5;
/** Nothing takes so long to be made: what is left of it was given up. */
const unfinishedMs = 3_600_000;

/** Where threads begin; the first one is that of the process. */
const threads = [
  "server/src/main.ts",
  "server/src/storage/writer-thread.ts",
  "server/src/storage/reader-thread.ts",
  "server/src/storage/background-thread.ts",
  "server/src/views/groups/fold-thread.ts",
  "server/src/http/bodies/body-thread.ts",
];

/**
 * Makes the service's program below `server/dist` and returns its first file: one file for each
 * thread, and those that they share. To load a thousand small files takes most of a start, and a
 * quarter of the memory at rest. Nothing is made when the sources are those of an earlier time.
 */
export async function makeProgram(): Promise<string> {
  const program = programOfSources();
  if (existsSync(program)) return program;
  mkdirSync(dist, { recursive: true });
  const made = dirname(program);
  const unfinished = `${made}-${process.pid}`;
  try {
    await bundle(unfinished);
    syncFiles(unfinished);
    renameSync(unfinished, made);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process has made the same.
    if (!existsSync(program)) throw error;
  }
  removeOld(basename(made));
  return program;
}

/** The first file of the program that these sources make, whether or not it is there. */
export function programOfSources(): string {
  return join(dist, nameOfSources(), "main.js");
}

/** Makes the program in this directory. */
export async function bundle(directory: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: root,
    entryPoints: threads,
    outdir: directory,
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24.12",
    // Traces name functions as they are called; with --enable-source-maps also files and lines.
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "none",
    logLevel: "silent",
    plugins: [packages],
  });
}

/** Packages of others stay where npm has them. */
const packages: Plugin = {
  name: "packages",
  setup(bundled) {
    bundled.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      path.startsWith("@lossless/") ? undefined : { path, external: true },
    );
  },
};

/**
 * Sizes and times of the sources in place of their content: each start asks. The time of a change
 * cannot be set, as that of the content can.
 */
function nameOfSources(): string {
  const hash = createHash("sha256");
  const patterns = ["{server,protocol}/src/**/*.ts", "server/{build.ts,package.json}"];
  const files = globSync(patterns, { cwd: root, exclude: ["**/*.{test,fixture}.ts"] });
  for (const file of [...files.sort(), "package-lock.json"]) {
    const { size, mtimeMs, ctimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs} ${ctimeMs}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}

/** After a power loss a program is there whole, or not at all. */
function syncFiles(directory: string): void {
  for (const name of [...readdirSync(directory), "."]) {
    const file = openSync(join(directory, name), "r");
    fsyncSync(file);
    closeSync(file);
  }
}

function removeOld(own: string): void {
  const found = readdirSync(dist)
    .filter((name) => name !== own)
    .map((name) => ({
      name,
      isWhole: !name.includes("-"),
      ageMs: Date.now() - (statSync(join(dist, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
    }))
    .sort((one, other) => one.ageMs - other.ageMs);
  const others = found.filter(({ isWhole }) => isWhole).slice(keptMin);
  for (const { name } of [
    ...others.filter(({ ageMs }) => ageMs > keptMs),
    ...found.filter(({ isWhole, ageMs }) => !isWhole && ageMs > unfinishedMs),
  ])
    rmSync(join(dist, name), { recursive: true, force: true });
}

if (import.meta.main) await makeProgram();
