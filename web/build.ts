/**
 * Makes `web/dist`, what the service gives to browsers: the script that every page begins with, one
 * for each page that few open, and the style, all named by their content, and to pip: the Python
 * client's wheel. `index.json` says how they are called. Nothing is made when the sources are those
 * of the last time.
 */
import { createHash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { pythonWheel, wheelSources } from "./python-wheel.ts";

const root = import.meta.dirname;
const dist = join(root, "dist");
/** Every visit begins with it. */
const first = "src/main.tsx";
/** The page whose charts are those of all pages, and modules by which these are known. */
const charts = "src/pages/experiment/charts-tab.tsx";
const drawing = ["src/chart/paint/plot.tsx", "src/chart/axes/tick-texts.ts"];
/** A first visit must not wait: bytes of gzip. */
const scriptBytesMax = 150_000;
const styleBytesMax = 25_000;

const common = {
  absWorkingDir: root,
  bundle: true,
  // With other conditions the parser of Markdown would resolve `&amp;` with the page's parser of
  // HTML, which our policy forbids; for workers it has a table of its own.
  conditions: ["module", "worker"],
  minify: true,
  write: false,
  target: "es2024",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
} as const satisfies BuildOptions;

const sources = sourceHash();

async function make(): Promise<void> {
  const { metafile: split } = await build(pages());
  const { outputFiles, metafile } = await build(pages(sharedInOne(split)));
  mkdirSync(dist, { recursive: true });
  for (const { path, contents } of outputFiles) put(basename(path), contents);
  const script = entryOf(metafile, first);
  const style = entryOf(metafile, "src/style.css");
  const atOnce = loadedAtOnce(metafile, script);
  const gzipBytes = (path: string) => gzipSync(readFileSync(join(root, path)), { level: 9 }).length;
  hold("scripts of a first visit", atOnce.map(gzipBytes), scriptBytesMax);
  hold("style", [gzipBytes(style)], styleBytesMax);
  const wheel = pythonWheel(join(root, ".."));
  put(wheel.name, wheel.content);
  const names = [...outputFiles.map(({ path }) => basename(path)), wheel.name];
  const called = { script: basename(script), style: basename(style), wheel: wheel.name };
  const index = { sources, ...called, names };
  // A browser would find these only when it has read the script.
  const preloaded = atOnce.filter((path) => path !== script).map((path) => basename(path));
  put("index.json", JSON.stringify({ ...index, preloaded }));
  const kept = new Set([...names, "index.json"]);
  for (const name of readdirSync(dist)) if (!kept.has(name)) rmSync(join(dist, name));
}

function pages(...plugins: Plugin[]) {
  return {
    ...common,
    entryPoints: [join(root, first), join(root, "src/style.css")],
    outdir: dist,
    splitting: true,
    metafile: true,
    format: "esm",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    plugins: [exported, ...plugins],
  } as const satisfies BuildOptions;
}

/**
 * Puts what a first visit loads into one script, and what charts need into a second one. Of modules
 * that pages share, esbuild makes a script for each set of pages: a first visit had 71, and a
 * browser loads six at a time. The script of each page therefore begins with the imports of the
 * first one, which are loaded by then, so that all pages share them. Each page with charts, and
 * each part of one, begins with the charts, too; what these share with other pages is loaded first.
 */
function sharedInOne({ inputs, outputs }: Metafile): Plugin {
  const importsOf = (file: string, wanted = "import-statement") =>
    inputs[file].imports.flatMap(({ kind, path }) =>
      kind === wanted && path in inputs ? [path] : [],
    );
  const reachedBy = (...files: string[]) => {
    const found = new Set(files);
    for (const each of found) for (const path of importsOf(each)) found.add(path);
    return found;
  };
  const entries = Object.values(outputs).flatMap(({ entryPoint = "" }) =>
    entryPoint in inputs && entryPoint !== first ? [entryPoint] : [],
  );
  const atOnce = reachedBy(first);
  const withCharts = new Set(
    entries.filter((entry) => drawing.some((file) => reachedBy(entry).has(file))),
  );
  for (const page of withCharts)
    for (const file of reachedBy(page))
      if (!atOnce.has(file))
        for (const part of importsOf(file, "dynamic-import")) withCharts.add(part);
  const others = reachedBy(...entries.filter((entry) => !withCharts.has(entry)));
  const common = [...reachedBy(charts)].filter((file) => others.has(file) && !atOnce.has(file));
  const firstOfAll = [...importsOf(first), ...common].filter((file) => !isPackage(file));
  const textOf = (files: readonly string[]) =>
    files.map((file) => `import ${JSON.stringify(join(root, file))};`).join("");
  return {
    name: "shared in one",
    setup(bundle) {
      bundle.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        const file = relative(root, path);
        if (file !== first && !entries.includes(file)) return undefined;
        const before =
          withCharts.has(file) && file !== charts ? [...firstOfAll, charts] : firstOfAll;
        const contents = textOf(before) + readFileSync(path, "utf8");
        return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}

/** Packages are imported by our modules. */
function isPackage(file: string): boolean {
  return file.includes("node_modules");
}

/**
 * Builds the script of a report that is saved as a file. It is a script of its own, and a text in
 * the script that saves: with its hash, because a page without https cannot compute one.
 */
const exported: Plugin = {
  name: "exported",
  setup(bundle) {
    const namespace = "exported";
    bundle.onResolve({ filter: /^exported:/ }, ({ path }) => ({ path, namespace }));
    bundle.onLoad({ filter: /./, namespace }, async ({ path }) => {
      const source = path === "exported:script" ? "main.ts" : "exported.css";
      const { outputFiles } = await build({
        ...common,
        entryPoints: [join(root, "src/pages/reports/exported", source)],
        format: "iife",
      });
      const { text } = outputFiles[0];
      const hash = createHash("sha256").update(text).digest("base64");
      return { contents: JSON.stringify({ text, hash }), loader: "json" };
    });
  },
};

function entryOf({ outputs }: Metafile, source: string): string {
  return Object.keys(outputs).find((path) => outputs[path].entryPoint === source)!;
}

/** A script with those that it cannot begin without. */
function loadedAtOnce({ outputs }: Metafile, script: string): string[] {
  const found = new Set([script]);
  for (const each of found)
    for (const { path, kind } of outputs[each].imports)
      if (kind === "import-statement") found.add(path);
  return [...found];
}

function hold(what: string, sizes: readonly number[], most: number): void {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > most) throw new Error(`The ${what} has ${bytes} bytes of gzip, at most ${most}`);
}

/** Whole or not there: a service may read, and another build may write the same, at this moment. */
function put(name: string, contents: string | Uint8Array): void {
  const written = join(root, `.${name}-${process.pid}`);
  writeFileSync(written, contents);
  renameSync(written, join(dist, name));
}

/** One hash over everything that the bundle is made from, the versions of packages with it. */
function sourceHash(): string {
  const hash = createHash("sha256");
  const shared = ["client/src/**/*.ts", "protocol/src/**/*.ts", "server/src/**/*.css"];
  shared.push(...wheelSources);
  const patterns = ["web/**/*.{ts,tsx,css,json}", ...shared];
  const exclude = ["**/node_modules/**", "web/dist/**", "**/*.test.ts"];
  const files = globSync([...patterns, "package-lock.json"], { cwd: join(root, ".."), exclude });
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, "..", file)));
  return hash.digest("hex");
}

function madeFrom(): string | undefined {
  try {
    const text = readFileSync(join(dist, "index.json"), "utf8");
    return (JSON.parse(text) as { sources: string }).sources;
  } catch {
    return undefined;
  }
}

if (madeFrom() !== sources) await make();
