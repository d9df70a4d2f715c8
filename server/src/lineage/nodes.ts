import type { LineageNode } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { readShownNames } from "../experiments/mlflow/shown-names.ts";
import { byKind, datasetIn, type Kind, type NodeId, versionIn } from "./keys.ts";

/** Keys that one statement looks up. */
const atOnce = 200;

/** Describes nodes. Runs and models that are not there, or were purged, are left out. */
export async function readNodes(
  reader: Reader,
  organizationId: string,
  ids: Iterable<NodeId>,
): Promise<Map<NodeId, LineageNode>> {
  const found = new Map<NodeId, LineageNode>();
  for (const [kind, keys] of byKind(ids)) {
    for (let at = 0; at < keys.length; at += atOnce) {
      const some = keys.slice(at, at + atOnce);
      const nodes = await describe[kind](reader, organizationId, some);
      for (const [key, node] of nodes) {
        const id: NodeId = `${kind}:${key}`;
        found.set(id, { id, kind, ...node });
      }
    }
  }
  return found;
}

type Facts = Omit<LineageNode, "id" | "kind">;
type Describe = (
  reader: Reader,
  organizationId: string,
  keys: readonly string[],
) => Promise<Map<string, Facts>>;

const describe: Record<Kind, Describe> = {
  run: describeRuns,
  version: describeVersions,
  model: describeModels,
  dataset: (_reader, _organizationId, keys) => {
    const facts = keys.map((key) => [key, { ...datasetIn(key), state: "present" }] as const);
    return Promise.resolve(new Map<string, Facts>(facts));
  },
};

async function describeRuns(
  reader: Reader,
  organizationId: string,
  keys: readonly string[],
): Promise<Map<string, Facts>> {
  const rows = await reader.all<{
    id: string;
    slug: string;
    status: string;
    trashed_at_ms: number | null;
  }>(
    `SELECT id, slug, status, trashed_at_ms FROM experiment
     WHERE organization = $1 AND purged_at_ms IS NULL AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(keys),
  );
  const names = await readShownNames(
    reader,
    organizationId,
    rows.map(({ id }) => id),
  );
  const facts = rows.map(({ id, slug, status, trashed_at_ms: trashedAtMs }) => {
    const named = { name: names.get(id) ?? slug, experimentId: id, slug };
    const known: Facts =
      trashedAtMs === null
        ? { ...named, state: "present", status }
        : { ...named, state: "trashed" };
    return [id, known] as const;
  });
  return new Map(facts);
}

async function describeVersions(
  reader: Reader,
  organizationId: string,
  keys: readonly string[],
): Promise<Map<string, Facts>> {
  const named = keys.map((key) => ({ key, ...versionIn(key) }));
  const paths = JSON.stringify([...new Set(named.map(({ artifact }) => artifact))]);
  const versions = JSON.stringify([...new Set(named.map(({ version }) => version))]);
  const artifacts = await reader.all<{ id: string; path: string; highest: string | null }>(
    `SELECT id, path, highest FROM artifact WHERE organization = $1 AND ${reader.isOneOf("path", "$2")}`,
    organizationId,
    paths,
  );
  const present = await reader.all<{ artifact: string; name: string; bytes: number }>(
    `SELECT artifact, name, bytes FROM version
     WHERE ${reader.isOneOf("artifact", "$1")} AND ${reader.isOneOf("name", "$2")}`,
    JSON.stringify(artifacts.map(({ id }) => id)),
    versions,
  );
  const trashed = await reader.all<{ path: string; version: string }>(
    `SELECT name AS path, version FROM trash WHERE organization = $1 AND kind = 'version' AND is_purging = 0
       AND ${reader.isOneOf("name", "$2")} AND ${reader.isOneOf("version", "$3")}`,
    organizationId,
    paths,
    versions,
  );
  const pathOf = new Map(artifacts.map(({ id, path }) => [id, path]));
  const highest = new Map(artifacts.map((row) => [row.path, row.highest ?? ""]));
  const sizes = new Map(
    present.map(({ artifact, name, bytes }) => [`${pathOf.get(artifact)}@${name}`, bytes]),
  );
  const inTrash = new Set(trashed.map(({ path, version }) => `${path}@${version}`));
  const facts = named.map(({ key, artifact, version }) => {
    const bytes = sizes.get(key);
    if (bytes !== undefined) {
      return [key, { name: artifact, state: "present", version, bytes }] as const;
    }
    // Names of versions up to the highest were given once, or passed over.
    const wasThere = version <= (highest.get(artifact) ?? "");
    const state = inTrash.has(key) ? "trashed" : wasThere ? "deleted" : "unknown";
    return [key, { name: artifact, state, version }] as const;
  });
  return new Map<string, Facts>(facts);
}

async function describeModels(
  reader: Reader,
  organizationId: string,
  keys: readonly string[],
): Promise<Map<string, Facts>> {
  const rows = await reader.all<{ id: string; name: string; deleted_at_ms: number | null }>(
    `SELECT id, name, deleted_at_ms FROM logged_model
     WHERE organization = $1 AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(keys),
  );
  const facts = rows.map(({ id, name, deleted_at_ms: deletedAtMs }) => {
    const state = deletedAtMs === null ? "present" : "deleted";
    return [id, { name, state, modelId: id }] as const;
  });
  return new Map<string, Facts>(facts);
}
