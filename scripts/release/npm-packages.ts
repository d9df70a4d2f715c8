import { compressed } from "./compressed.ts";
import { packageNames, type Packages } from "./emitted.ts";
import { type Artefact, below } from "./entries.ts";
import type { Release } from "./release.ts";
import { tar } from "./tar.ts";

/** Packages for `npm publish FILE` and `npm install FILE`. */
export function npmPackages(
  { version, seconds }: Release,
  packages: Packages,
): Promise<Artefact[]> {
  const made = packageNames.map(async (name) => ({
    name: `lossless-${name}-${version}.tgz`,
    content: await compressed(tar(below("package", packages[name]), seconds)),
  }));
  return Promise.all(made);
}
