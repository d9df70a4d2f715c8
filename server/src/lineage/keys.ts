import { namedIn } from "../experiments/lineage/subject.ts";

/** Things that are linked: runs, with versions, models and data sets that they used and made. */
export type Kind = "run" | "version" | "model" | "dataset";

/**
 * The name of a node within one organization: its kind, a colon, and an experiment's id, a path
 * with `@` and a version, a model's id, or the JSON of a data set's name and digest.
 */
export type NodeId = `${Kind}:${string}`;

export function kindOf(id: NodeId): Kind {
  return id.slice(0, id.indexOf(":")) as Kind;
}

/** Returns what follows the kind. */
export function keyOf(id: NodeId): string {
  return id.slice(id.indexOf(":") + 1);
}

export function datasetKey({ name, digest }: DatasetName): string {
  return JSON.stringify([name, digest]);
}

export interface DatasetName {
  name: string;
  digest: string;
}

export function datasetIn(key: string): DatasetName {
  const [name, digest] = JSON.parse(key) as [string, string];
  return { name, digest };
}

export const versionIn = namedIn;

/** Returns the ids by kind, each once. */
export function byKind(ids: Iterable<NodeId>): Map<Kind, string[]> {
  const found = new Map<Kind, string[]>();
  for (const id of new Set(ids)) {
    const keys = found.get(kindOf(id));
    if (keys === undefined) found.set(kindOf(id), [keyOf(id)]);
    else keys.push(keyOf(id));
  }
  return found;
}
