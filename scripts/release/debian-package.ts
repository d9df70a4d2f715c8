import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ar } from "./ar.ts";
import { compressed } from "./compressed.ts";
import { debianNames } from "./debian-packages.ts";
import { type Artefact, below, complete, directory, type Entry, file, link } from "./entries.ts";
import type { Architecture } from "./node-runtime.ts";
import { documents, launcher, nodePath } from "./program.ts";
import type { Release } from "./release.ts";
import { tar } from "./tar.ts";

const units = ["lossless-backup.service", "lossless-backup.timer", "lossless.service"];
const part = (name: string) => readFileSync(join(import.meta.dirname, "../../deploy/debian", name));

/**
 * The package `lossless` for Debian 12 and newer, and its derivatives: the program below /usr/lib,
 * the command, and systemd units under a user of its own: the service, and backups by a timer that
 * is disabled by default.
 */
export async function debianPackage(
  release: Release,
  architecture: Architecture,
  program: readonly Entry[],
  node: { program: Buffer; license: Buffer },
): Promise<Artefact> {
  const { version, seconds } = release;
  const files = complete([
    ...below("usr/lib/lossless", [launcher(), file(nodePath, node.program, 0o755), ...program]),
    link("usr/bin/lossless", "../lib/lossless/lossless"),
    ...below(
      "usr/lib/systemd/system",
      units.map((name) => file(name, part(name))),
    ),
    // It may have the keys of a bucket; systemd reads it as root.
    file("etc/default/lossless-backup", part("lossless-backup.default"), 0o600),
    file("etc/lossless/lossless.json", part("lossless.json")),
    ...below("usr/share/doc/lossless", await legal(release, node.license)),
  ]);
  const control = [
    file("control", controlText(release, debianNames[architecture], files)),
    file("conffiles", "/etc/default/lossless-backup\n/etc/lossless/lossless.json\n"),
    file("md5sums", md5sums(files)),
    ...["postinst", "prerm", "postrm"].map((name) => file(name, part(name), 0o755)),
  ];
  const packed = (entries: readonly Entry[]) =>
    compressed(tar([directory(""), ...entries], seconds, "./"));
  const members = [
    ["debian-binary", Buffer.from("2.0\n")],
    ["control.tar.gz", await packed(control)],
    ["data.tar.gz", await packed(files)],
  ] as const;
  const name = `lossless_${version}_${debianNames[architecture]}.deb`;
  return { name, content: ar(members, seconds) };
}

/** The maintainer of the package. */
function maintainer({ root }: Release): string {
  const manifest = readFileSync(join(root, "package.json"), "utf8");
  return (JSON.parse(manifest) as { author: string }).author;
}

async function legal(release: Release, nodeLicense: Buffer): Promise<Entry[]> {
  const { root, version, seconds } = release;
  const date = new Date(seconds * 1000).toUTCString().replace("GMT", "+0000");
  const changes = `lossless (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${maintainer(release)}  ${date}\n`;
  return [
    file("copyright", part("copyright")),
    file("node.txt", nodeLicense),
    file("changelog.gz", await compressed(Buffer.from(changes))),
    file("CHANGELOG.md", readFileSync(join(root, "CHANGELOG.md"))),
    ...documents(root),
  ];
}

/**
 * Libraries that this version of Node is linked against, in the oldest Debian that has all of them.
 */
const needs = ["adduser", "libatomic1", "libc6 (>= 2.28)", "libgcc-s1", "libstdc++6 (>= 5)"];

function controlText(release: Release, architecture: string, files: readonly Entry[]): string {
  const kibibytes = files.map((entry) =>
    entry.kind === "file" ? Math.ceil(entry.content.length / 1024) : 1,
  );
  return `Package: lossless
Version: ${release.version}
Architecture: ${architecture}
Maintainer: ${maintainer(release)}
Installed-Size: ${kibibytes.reduce((sum, each) => sum + each, 0)}
Depends: ${needs.join(", ")}
Section: science
Priority: optional
Description: records machine-learning experiments and loses nothing of them
 Lossless records metrics of machine-learning experiments and keeps their
 versioned artifacts. What it has acknowledged is on stable storage, is never
 doubled and never altered. The service has pages of its own; the command
 lossless imports, exports, pushes and pulls.
`;
}

function md5sums(files: readonly Entry[]): string {
  const lines = files.flatMap((entry) => {
    if (entry.kind !== "file" || entry.path.startsWith("etc/")) return [];
    return [`${createHash("md5").update(entry.content).digest("hex")}  ${entry.path}\n`];
  });
  return lines.join("");
}
