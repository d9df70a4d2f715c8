import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { packageDirectory } from "../../ground/package-directory.ts";
import { type BasePath, belowBase } from "../base-path.ts";

/** The files of the web application, in memory. */
export interface WebFiles {
  /** The one document for all pages; undefined when the application was not built. */
  readonly shell: Buffer | undefined;
  asset(name: string): WebFile | undefined;
}

export interface WebFile {
  type: string;
  bytes: Buffer;
  /** Compressed when the first browser asks for it. */
  gzip(): Buffer;
}

/**
 * Directory into which `web/build.ts` writes, and where a release has the application, in the
 * server's package.
 */
const built = join(packageDirectory, "../web/dist");
const released = join(packageDirectory, "pages");
export const webDirectory = existsSync(released) ? released : built;

const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".whl": "application/zip",
};

/**
 * Reads the built files. A clone that was never started has the sources only: then they are built,
 * once, in a second.
 */
export function readWebFiles(directory: string, base: BasePath): WebFiles {
  const build = join(directory, "../build.ts");
  if (readNames(directory) === undefined && existsSync(build)) {
    spawnSync(process.execPath, [build], { stdio: "ignore", timeout: 60_000 });
  }
  const names = readNames(directory);
  if (names === undefined) return { shell: undefined, asset: () => undefined };
  const files = new Map<string, WebFile>();
  for (const name of names.names) {
    const bytes = readFileSync(join(directory, name));
    let gzip: Buffer | undefined;
    files.set(name, { type: types[extname(name)], bytes, gzip: () => (gzip ??= gzipSync(bytes)) });
  }
  return { shell: Buffer.from(shellText(names, base)), asset: (name) => files.get(name) };
}

/** `index.json` of what was built. */
interface Names {
  names: readonly string[];
  script: string;
  style: string;
  /** The Python client, for pip. */
  wheel: string;
  /** Scripts that the first one imports before it can begin. */
  preloaded: readonly string[];
}

function readNames(directory: string): Names | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, "index.json"), "utf8")) as Names;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function shellText({ script, style, wheel, preloaded }: Names, base: BasePath): string {
  const asset = (name: string) => belowBase(base, `/assets/${name}`);
  const preloads = preloaded.map((name) => `<link rel="modulepreload" href="${asset(name)}">\n`);
  return `<!doctype html>
<html lang="en" data-wheel="${wheel}"${base === "" ? "" : ` data-base="${base}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lossless</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${asset(style)}">
<link rel="preload" as="fetch" crossorigin href="${belowBase(base, "/api/v1/sessions")}">
${preloads.join("")}<script type="module" src="${asset(script)}"></script>
</head>
<body>
<div id="app"></div>
<noscript>These pages need JavaScript. The command line and the clients show the same data.</noscript>
</body>
</html>
`;
}
