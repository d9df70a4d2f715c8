import type { Database, Reader, Transaction, Value } from "../database/database.ts";
import { insertRows } from "../database/rows.ts";
import { type ConfigLeaf, configLeaves } from "./config.ts";
import { type enter, entryText, numberEntries } from "./dictionary.ts";

/** The operations of the index, as the background work can call them: through the writer. */
interface IndexOperations {
  "summaries.enter": typeof enter;
  "summaries.index": typeof indexConfig;
}

interface IndexTools {
  database: Database;
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
  /** The leaves that there are, by key. */
  leaves: Map<number, Leaf[]>;
}

type Leaf = Omit<ConfigLeaf, "path">;

/** Brings the leaves of one experiment's meta to what it is now; at most 1,000 rows. */
export async function indexMeta(tools: IndexTools, experimentId: string): Promise<void> {
  const stored = await tools.database.read((reader) => readStored(reader, experimentId));
  if (stored === undefined) return;
  const leaves = configLeaves(JSON.parse(stored.meta) as object);
  const { organizationId } = stored;
  const entries = [...new Set(leaves.map(({ path }) => path))].map((path) => [path]);
  const ids = await numberEntries(tools, { dictionary: "config_key", organizationId, entries });
  const wanted = new Map<number, Leaf[]>();
  for (const { path, ...leaf } of leaves) {
    const key = ids.get(entryText([path]))!;
    wanted.set(key, [...(wanted.get(key) ?? []), leaf]);
  }
  const changed = [...new Set([...wanted.keys(), ...stored.leaves.keys()])].filter(
    (key) => textOf(wanted.get(key)) !== textOf(stored.leaves.get(key)),
  );
  await tools.write("summaries.index", {
    experimentId,
    from: stored.indexedVersion,
    to: stored.version,
    changed: changed.map((key) => ({ key, leaves: wanted.get(key) ?? [] })),
    keys: [...wanted.keys()],
  });
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
    changed: { key: number; leaves: Leaf[] }[];
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

async function readStored(reader: Reader, experimentId: string): Promise<StoredConfig | undefined> {
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
  const values = await reader.all<{ key: number } & Leaf>(
    `SELECT key, element, kind, number, text FROM config_value
     WHERE experiment = $1 AND ${reader.isOneOfIntegers("key", "$2")} ORDER BY key, element`,
    experimentId,
    row.keys ?? "[]",
  );
  const leaves = new Map<number, Leaf[]>();
  for (const { key, ...leaf } of values) leaves.set(key, [...(leaves.get(key) ?? []), leaf]);
  const { organization: organizationId, meta } = row;
  const { meta_version: version, indexed_version: indexedVersion } = row;
  return { organizationId, meta, version, indexedVersion, leaves };
}

function textOf(leaves: readonly Leaf[] | undefined): string {
  return JSON.stringify(
    leaves?.map(({ element, kind, number, text }) => [element, kind, number, text]),
  );
}
