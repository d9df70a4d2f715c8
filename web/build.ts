/**
 * Makes `web/dist`, what the service gives to browsers: one script and one style, named by their
 * content, and `index.json`, which says how they are called. Nothing is made when the sources are
 * those of the last time.
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
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = import.meta.dirname;
const dist = join(root, "dist");
/** A first visit must not wait: bytes of gzip. */
const scriptBytesMax = 150_000;
const styleBytesMax = 25_000;

const sources = sourceHash();
if (madeFrom() !== sources) await make();

async function make(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/main.tsx"), join(root, "src/style.css")],
    outdir: dist,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    jsx: "automatic",
    jsxImportSource: "preact",
    entryNames: "[name]-[hash]",
    legalComments: "none",
  });
  mkdirSync(dist, { recursive: true });
  const names: string[] = [];
  for (const { path, contents } of outputFiles) {
    const name = basename(path);
    const bytes = gzipSync(contents, { level: 9 }).length;
    const most = name.endsWith(".css") ? styleBytesMax : scriptBytesMax;
    if (bytes > most) throw new Error(`${name} has ${bytes} bytes of gzip, at most ${most}`);
    put(name, contents);
    names.push(name);
  }
  const script = names.find((name) => name.endsWith(".js"));
  const style = names.find((name) => name.endsWith(".css"));
  put("index.json", JSON.stringify({ sources, script, style }));
  const kept = new Set([...names, "index.json"]);
  for (const name of readdirSync(dist)) if (!kept.has(name)) rmSync(join(dist, name));
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
