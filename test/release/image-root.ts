import { mkdirSync, readFileSync } from "node:fs";
import { fileOf, run, type Workshop } from "./made.ts";

export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Healthcheck: { Test: [string, string, ...string[]] };
}

interface Descriptor {
  digest: string;
  platform?: { architecture: string };
}

/** The layers of the image for a processor, unpacked over each other as a runtime does. */
export async function unpackedImage(workshop: Workshop, made: string, architecture: string) {
  const layout = workshop.path(`layout-${architecture}`);
  const root = workshop.path(`image-root-${architecture}`);
  for (const path of [layout, root]) mkdirSync(path);
  await run("tar", ["-xf", fileOf(made, /-image\.tar$/), "-C", layout]);
  const blob = ({ digest }: Descriptor) => `${layout}/blobs/${digest.replace(":", "/")}`;
  const json = <Value>(path: string) => JSON.parse(readFileSync(path, "utf8")) as Value;
  const [index] = json<{ manifests: Descriptor[] }>(`${layout}/index.json`).manifests;
  const { manifests } = json<{ manifests: Descriptor[] }>(blob(index));
  const found = manifests.find(({ platform }) => platform?.architecture === architecture)!;
  const { config, layers } = json<{ config: Descriptor; layers: Descriptor[] }>(blob(found));
  for (const layer of layers) await run("tar", ["-xzpf", blob(layer), "-C", root]);
  // A runtime makes it; the process has no other place to write to than /data.
  mkdirSync(`${root}/dev`);
  return { root, config: json<{ config: ImageConfig }>(blob(config)).config };
}

/** The variables of the image, as a runtime gives them. */
export function environmentOf({ Env }: ImageConfig): Record<string, string> {
  return Object.fromEntries(Env.map((each) => each.split("=", 2) as [string, string]));
}
