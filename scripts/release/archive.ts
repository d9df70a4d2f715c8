import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compressed } from "./compressed.ts";
import type { DebianSource } from "./debian-packages.ts";
import { type Artefact, below, type Entry, file } from "./entries.ts";
import type { Architecture } from "./node-runtime.ts";
import { documents, launcher, nodePath } from "./program.ts";
import type { Release } from "./release.ts";
import { tar } from "./tar.ts";

/**
 * One directory that runs where it is unpacked, on any Linux with glibc 2.28 or newer and
 * libstdc++: `./lossless serve`. Its files are never written to.
 */
export async function archive(
  release: Release,
  architecture: Architecture,
  program: readonly Entry[],
  node: { program: Buffer; license: Buffer },
  debian: DebianSource,
): Promise<Artefact> {
  const name = `lossless-${release.version}-linux-${architecture}`;
  const entries = [
    launcher("lib"),
    file(nodePath, node.program, 0o755),
    ...(await atomicLibrary(debian, architecture)),
    ...program,
    file("README.md", readFileSync(join(release.root, "deploy/archive-readme.md"))),
    file("CHANGELOG.md", readFileSync(join(release.root, "CHANGELOG.md"))),
    ...documents(release.root),
    file("LICENSE", readFileSync(join(release.root, "LICENSE"))),
    file("licenses/node.txt", node.license),
  ];
  const content = await compressed(tar(below(name, entries), release.seconds));
  return { name: `${name}.tar.gz`, content };
}

async function atomicLibrary(debian: DebianSource, architecture: Architecture): Promise<Entry[]> {
  const [library, documents] = await Promise.all([
    debian.read("libatomic1", architecture),
    debian.read("gcc-12-base", architecture),
  ]);
  const found = library.files.find(({ path }) => /\/libatomic\.so\.1\.\d/.test(path));
  const license = documents.files.find(({ path }) => path.endsWith("/copyright"));
  if (found?.kind !== "file" || license?.kind !== "file") {
    throw new Error("Debian's libatomic1 or gcc-12-base is not what it was");
  }
  return [
    file("lib/libatomic.so.1", found.content),
    file("licenses/libatomic.txt", license.content),
  ];
}
