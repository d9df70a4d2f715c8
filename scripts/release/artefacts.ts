import { archive } from "./archive.ts";
import { debianPackage } from "./debian-package.ts";
import { DebianPackages, readPins } from "./debian-packages.ts";
import { emittedPackages, type Packages } from "./emitted.ts";
import type { Artefact, Entry } from "./entries.ts";
import { image, type ImageContent } from "./image.ts";
import { type Lock, readLock } from "./installed.ts";
import { kubernetesManifests } from "./kubernetes.ts";
import { architectures, nodeRuntime } from "./node-runtime.ts";
import { npmPackages } from "./npm-packages.ts";
import { programFiles } from "./program.ts";
import { pythonPackages } from "./python-packages.ts";
import type { Release } from "./release.ts";
import { sbom } from "./sbom.ts";

export const kinds = ["npm", "python", "archive", "deb", "image", "kubernetes", "sbom"] as const;
export type Kind = (typeof kinds)[number];

/** Makes all files of a release except the checksums, one kind after another. */
export async function artefacts(release: Release, wanted: ReadonlySet<Kind>): Promise<Artefact[]> {
  const { root } = release;
  const lock = readLock(root);
  const made: Artefact[] = [];
  const isCompiled = ["npm", "archive", "deb", "image"].some((kind) => wanted.has(kind as Kind));
  if (isCompiled) {
    const packages = await emittedPackages(root);
    if (wanted.has("npm")) made.push(...(await npmPackages(release, packages)));
    made.push(...(await programs(release, lock, packages, wanted)));
  }
  if (wanted.has("python")) made.push(...(await pythonPackages(release)));
  if (wanted.has("kubernetes")) made.push(await kubernetesManifests(release));
  if (wanted.has("sbom")) made.push(sbom(release, lock, readPins()));
  return made;
}

/** Makes the artefacts that contain Node, one after the other: each takes some 200 MB of memory. */
async function programs(
  release: Release,
  lock: Lock,
  packages: Packages,
  wanted: ReadonlySet<Kind>,
): Promise<Artefact[]> {
  if (!(["archive", "deb", "image"] as const).some((kind) => wanted.has(kind))) return [];
  const debian = new DebianPackages(release.root, readPins());
  const program: Entry[] = programFiles(release.root, lock, packages);
  const contents: ImageContent[] = [];
  const made: Artefact[] = [];
  for (const architecture of architectures) {
    const node = await nodeRuntime(release.root, lock, architecture);
    contents.push({ architecture, program, node });
    if (wanted.has("archive")) {
      made.push(await archive(release, architecture, program, node, debian));
    }
    if (wanted.has("deb")) made.push(await debianPackage(release, architecture, program, node));
  }
  if (wanted.has("image")) made.push(await image(release, contents, debian));
  return made;
}
