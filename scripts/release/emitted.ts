import { readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../server/build.ts";
import { below, entriesBelow, type Entry, file } from "./entries.ts";
import { run } from "./run.ts";

/** The packages of a release, compiled to JavaScript from the folders of the same names. */
export const packageNames = ["protocol", "client", "server", "cli"] as const;
export type PackageName = (typeof packageNames)[number];

/** The files of each package, with paths relative to it. */
export type Packages = Record<PackageName, Entry[]>;

interface Manifest {
  private?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  exports?: Record<string, string>;
  [field: string]: unknown;
}

/** Compiles the npm packages. The server's contains the pages, and its program in a few files. */
export async function emittedPackages(root: string): Promise<Packages> {
  await run(process.execPath, [join(root, "web/build.ts")]);
  await using out = await mkdtempDisposable(join(tmpdir(), "lossless-emitted-"));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [
    compiler,
    "-p",
    join(root, "tsconfig.release.json"),
    "--outDir",
    out.path,
  ]);
  await bundle(join(out.path, "program"));
  const packages = packageNames.map((name) => [name, packageOf(root, out.path, name)]);
  return Object.fromEntries(packages) as Packages;
}

function packageOf(root: string, out: string, name: PackageName): Entry[] {
  const folder = join(root, name);
  // The command is not imported, so its declarations are left out.
  const wanted = name === "cli" ? /\/$|^(src|bin)\/.*\.js$/ : /\/$|^src\/.*\.(js|d\.ts)$/;
  const compiled = entriesBelow(join(out, name), (path) => wanted.test(path));
  const isAsset = (path: string) => !path.startsWith("points/golden/") && /\/$|\.css$/.test(path);
  const assets = below("src", entriesBelow(join(folder, "src"), isAsset));
  const pages = name === "server" ? below("pages", entriesBelow(join(root, "web/dist"))) : [];
  // Their maps name sources that a release has not.
  const isCode = (path: string) => !path.endsWith(".map");
  const program =
    name === "server" ? below("program", entriesBelow(join(out, "program"), isCode)) : [];
  return [
    file("package.json", publishedManifest(readFileSync(join(folder, "package.json"), "utf8"))),
    file("README.md", readFileSync(join(folder, "README.md"))),
    file("LICENSE", readFileSync(join(root, "LICENSE"))),
    ...compiled.map(finished),
    ...assets,
    ...pages,
    ...program,
  ];
}

/**
 * Keeps the mode of a program; renames imports in declarations to JavaScript, as every compiler
 * expects.
 */
function finished(entry: Entry): Entry {
  if (entry.kind !== "file") return entry;
  if (entry.path.startsWith("bin/")) return { ...entry, mode: 0o755 };
  if (!entry.path.endsWith(".d.ts")) return entry;
  const text = entry.content.toString();
  const named = text.replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"');
  return { ...entry, content: Buffer.from(named) };
}

/**
 * The package.json of a folder, with exports of the compiled files. A development dependency
 * becomes an optional peer: it is used where installed. Without `publishConfig` a scoped package
 * would be published as restricted.
 */
export function publishedManifest(text: string): string {
  const { private: _, devDependencies: peers, ...manifest } = JSON.parse(text) as Manifest;
  const exports = Object.entries(manifest.exports ?? {}).map(([name, source]) => {
    const path = source.replace(/\.ts$/, "");
    return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  const published = {
    ...manifest,
    ...(exports.length > 0 ? { exports: Object.fromEntries(exports) as object } : {}),
    ...(peers === undefined ? {} : optionalPeers(peers)),
    publishConfig: { access: "public" },
  };
  return `${JSON.stringify(published, undefined, 2)}\n`;
}

function optionalPeers(peers: Record<string, string>) {
  const names = Object.keys(peers).map((name) => [name, { optional: true }]);
  return { peerDependencies: peers, peerDependenciesMeta: Object.fromEntries(names) as object };
}
