import type { Database, Reader, Transaction, Value } from "../database/database.ts";
import { insertRows } from "../database/rows.ts";
import { type ConfigLeaf, configLeaves, type RunAttribute } from "./config.ts";
import { type enter, entryText, findEntries, numberEntries } from "./dictionary.ts";
import type { Pace } from "./pace.ts";

/** The operations of the index, as the background work can call them: through the writer. */
interface IndexOperations {
  "summaries.enter": typeof enter;
  "summaries.index": typeof indexConfig;
}

interface IndexTools {
  database: Database;
  pace: Pace;
  /** Paths of an organization, about: beyond them a new one gets no leaves. */
  keysMax: number;
  write<Name extends keyof IndexOperations>(
    name: Name,
    input: Parameters<IndexOperations[Name]>[1],
  ): Promise<Awaited<ReturnType<IndexOperations[Name]>>>;
}

interface StoredConfig {
  meta: string;
  organizationId: string;
  version: number;
  indexedVersion: number;
  leaves: ({ key: number } & ConfigLeaf)[];
  /** What MLflow's clients wrote beside the meta. */
  attributes: RunAttribute[];
}

/**
 * Brings the leaves of one experiment's meta, and of what MLflow's clients wrote beside it, to what
 * these are now; at most 1,000 rows.
 */
export async function indexMeta(
  tools: IndexTools,
  experimentId: string,
  stopped: AbortSignal,
): Promise<void> {
  const config = await tools.database.read((reader) => readConfig(reader, experimentId));
  if (config === undefined) return;
  const { organizationId, indexedVersion: from, version: to } = config;
  const found = configLeaves(JSON.parse(config.meta) as object, config.attributes);
  const paths = [...new Set(found.map(({ path }) => path))];
  const ids = await numberPaths(tools, organizationId, paths, stopped);
  const leaves = found.filter(({ path }) => ids.has(entryText([path])));
  const wanted = Map.groupBy(leaves, ({ path }) => ids.get(entryText([path]))!);
  const stored = Map.groupBy(config.leaves, ({ key }) => key);
  const changed = [...new Set([...wanted.keys(), ...stored.keys()])]
    .map((key) => ({ key, leaves: wanted.get(key) ?? [] }))
    .filter(
      ({ key, leaves: own }) => own.map(leafText).join() !== stored.get(key)?.map(leafText).join(),
    );
  const keys = [...wanted.keys()];
  const rows = changed.reduce(
    (sum, { key, leaves: own }) => sum + own.length + (stored.get(key)?.length ?? 0),
    0,
  );
  await tools.pace.take(rows, stopped);
  await tools.write("summaries.index", { experimentId, from, to, changed, keys });
}

/** The numbers of those that have one, or get one. */
async function numberPaths(
  tools: IndexTools,
  organizationId: string,
  paths: readonly string[],
  stopped: AbortSignal,
): Promise<Map<string, number>> {
  const entries = paths.map((path) => [path]);
  const wanted = { dictionary: "config_key", organizationId, entries } as const;
  const { known, room } = await tools.database.read(async (reader) => {
    const numbers = await findEntries(reader, wanted);
    if (numbers.size === paths.length) return { known: numbers, room: 0 };
    return { known: numbers, room: tools.keysMax - (await countKeys(reader, organizationId)) };
  });
  const unknown = entries.filter((entry) => !known.has(entryText(entry)));
  const added = unknown.slice(0, Math.max(0, room));
  if (added.length === 0) return known;
  await tools.pace.take(added.length, stopped);
  const numbered = await numberEntries(tools, { ...wanted, entries: added });
  return new Map([...known, ...numbered]);
}

async function countKeys(reader: Reader, organizationId: string): Promise<number> {
  const row = await reader.get<{ keys: number }>(
    "SELECT count(*) AS keys FROM config_key WHERE organization = $1",
    organizationId,
  );
  return row!.keys;
}

/**
 * `summaries.index`: new leaves at the changed keys, as long as those that are there are still the
 * ones that were compared. Otherwise another node was faster, and nothing changes.
 */
export async function indexConfig(
  transaction: Transaction,
  {
    experimentId,
    from,
    to,
    changed,
    keys,
  }: {
    experimentId: string;
    from: number;
    to: number;
    changed: { key: number; leaves: ConfigLeaf[] }[];
    keys: number[];
  },
): Promise<void> {
  const moved = await transaction.run(
    "UPDATE summarized SET indexed_version = $3 WHERE experiment = $1 AND indexed_version = $2",
    experimentId,
    from,
    to,
  );
  if (moved === 0) return;
  await transaction.run(
    `DELETE FROM config_value
     WHERE experiment = $1 AND ${transaction.isOneOfIntegers("key", "$2")}`,
    experimentId,
    JSON.stringify(changed.map(({ key }) => key)),
  );
  const rows = changed.flatMap(({ key, leaves }) =>
    leaves.map(({ element, kind, number, text }): Value[] => [
      key,
      experimentId,
      element,
      kind,
      number,
      text,
    ]),
  );
  const columns = ["key", "experiment", "element", "kind", "number", "text"];
  await insertRows(transaction, "config_value", columns, rows);
  await transaction.run(
    `INSERT INTO config_keys (experiment, keys) VALUES ($1, $2)
     ON CONFLICT (experiment) DO UPDATE SET keys = excluded.keys`,
    experimentId,
    JSON.stringify(keys),
  );
}

export async function readConfig(
  reader: Reader,
  experimentId: string,
): Promise<StoredConfig | undefined> {
  const row = await reader.get<{
    organization: string;
    meta: string;
    meta_version: number;
    indexed_version: number;
    keys: string | null;
  }>(
    `SELECT organization, meta, meta_version, indexed_version, keys FROM summarized
     JOIN experiment ON experiment.id = summarized.experiment
     LEFT JOIN config_keys ON config_keys.experiment = summarized.experiment
     WHERE summarized.experiment = $1`,
    experimentId,
  );
  if (row === undefined) return undefined;
  const leaves = await reader.all<{ key: number } & ConfigLeaf>(
    `SELECT key, path, element, kind, number, text FROM config_value JOIN config_key ON id = key
     WHERE experiment = $1 AND ${reader.isOneOfIntegers("key", "$2")} ORDER BY key, element`,
    experimentId,
    row.keys ?? "[]",
  );
  const attributes = (await readAttributes(reader, [experimentId])).get(experimentId) ?? [];
  const { organization: organizationId, meta } = row;
  const { meta_version: version, indexed_version: indexedVersion } = row;
  return { organizationId, meta, version, indexedVersion, leaves, attributes };
}

/** What MLflow's clients wrote beside metas, params first, by experiment. */
export async function readAttributes(
  reader: Reader,
  experimentIds: readonly string[],
): Promise<Map<string, RunAttribute[]>> {
  const isWanted = reader.isOneOf("experiment", "$1");
  const rows = await reader.all<RunAttribute & { experiment: string }>(
    `SELECT experiment, 'param' AS kind, key, value FROM run_param WHERE ${isWanted}
     UNION ALL SELECT experiment, 'tag', key, value FROM run_tag WHERE ${isWanted}
     ORDER BY experiment, kind, key`,
    JSON.stringify(experimentIds),
  );
  const found = new Map<string, RunAttribute[]>();
  for (const { experiment, ...attribute } of rows) {
    const own = found.get(experiment);
    if (own === undefined) found.set(experiment, [attribute]);
    else own.push(attribute);
  }
  return found;
}

/** Two are the same when their texts are. */
export function leafText({ path, element, kind, number, text }: ConfigLeaf): string {
  return JSON.stringify([path, element, kind, number, text]);
}
