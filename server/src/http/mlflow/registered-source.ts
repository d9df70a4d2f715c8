import type { DatasetInput } from "../../experiments/mlflow/inputs.ts";
import { textsIn } from "../../experiments/mlflow/source-version.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Storage } from "../../storage/storage.ts";

interface Registered {
  model: string;
  version: { number: number } | { alias: string };
}

/**
 * Returns the version of a registered model that a source names: `models:/name/1` or
 * `models:/name@alias`.
 */
export function registeredIn(source: string): Registered | undefined {
  const {
    model,
    number,
    alias = "",
  } = /^models:\/+(?<model>[^/:@]+)(?:\/(?<number>\d+)|@(?<alias>[^/]+))$/.exec(source)?.groups ??
  {};
  if (model === undefined) return undefined;
  return { model, version: number === undefined ? { alias } : { number: Number(number) } };
}

/** Sources of one request that are looked up. */
const sourcesMax = 100;

/** Adds to data sets the versions of artifacts that their sources name by a registered model. */
export async function withRegistered(
  datasets: readonly DatasetInput[],
  organizationId: string,
  storage: Pick<Storage, "read">,
): Promise<DatasetInput[]> {
  const found = new Map<string, DatasetInput["registered"]>();
  for (const { dataset } of datasets) {
    if (found.has(dataset.source)) continue;
    const [named] = textsIn(dataset.source).flatMap((text) => registeredIn(text) ?? []);
    if (named === undefined) continue;
    if (found.size === sourcesMax) break;
    found.set(dataset.source, await versionOf({ organizationId, ...named }, storage));
  }
  return datasets.map((input) => {
    const registered = found.get(input.dataset.source);
    return registered === undefined ? input : { ...input, registered };
  });
}

async function versionOf(
  named: Registered & { organizationId: string },
  storage: Pick<Storage, "read">,
): Promise<DatasetInput["registered"]> {
  try {
    const { artifact, artifactVersion } = await storage.read("registry.version", named);
    if (artifact === null || artifactVersion === null) return undefined;
    return { artifact, version: artifactVersion };
  } catch (error) {
    // A source may name anything.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
