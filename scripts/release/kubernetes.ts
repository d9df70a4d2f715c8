import { join } from "node:path";
import { compressed } from "./compressed.ts";
import { type Artefact, below, entriesBelow } from "./entries.ts";
import type { Release } from "./release.ts";
import { tar } from "./tar.ts";

/** Kubernetes manifests, for `kubectl apply --kustomize`. */
export async function kubernetesManifests({ root, version, seconds }: Release): Promise<Artefact> {
  const name = `lossless-${version}-kubernetes`;
  const entries = below(name, entriesBelow(join(root, "deploy/kubernetes")));
  return { name: `${name}.tar.gz`, content: await compressed(tar(entries, seconds)) };
}
