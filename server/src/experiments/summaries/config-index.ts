import type { Database, Reader, Transaction, Value } from "../../database/database.ts";
import { changeRows, insertRows } from "../../database/rows.ts";
import { type ConfigLeaf, configLeaves, type RunAttribute } from "./config.ts";
import { type addNonfiniteBefore, readNonfiniteBefore } from "../nonfinite.ts";
import { type enter, entryText, findEntries, numberEntries } from "./dictionary.ts";
import { type NonfiniteSummary, readNonfiniteSummaries, writeNonfinite } from "./nonfinite-rows.ts";
import type { Pace } from "../../ground/pace.ts";

/** The operations of the index, as the background work can call them: through the writer. */
interface IndexOperations {
  "summaries.enter": typeof enter;
  "summaries.index": typeof indexConfigs;
  "experiment.addNonfiniteBefore": typeof addNonfiniteBefore;
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
  experimentId: string;
  organizationId: string;
  meta: string;
  version: number;
  indexedVersion: number;
  /** Annotations from before migration 033 are not counted yet. */
  hasNotesBefore: boolean;
  nonfinite: NonfiniteSummary[];
  leaves: ({ key: number } & ConfigLeaf)[];
  /** Attributes that MLflow's clients wrote beside the meta. */
  attributes: RunAttribute[];
}

/** New leaves of one experiment, replacing the compared ones. */
interface IndexedConfig {
  experimentId: string;
  from: number;
  to: number;
  /** Keys whose stored leaves are removed. */
  removed: number[];
  added: ({ key: number } & ConfigLeaf)[];
  keys: number[];
  /** Summaries of its metrics' non-finite values. */
  nonfinite: { metric: number; summary: NonfiniteSummary }[];
}

/** Rows of one transaction, about: one experiment has at most 1,000. */
const rowsPerWrite = 500;

/**
 * Updates the leaves of some experiments' metas, of the attributes that MLflow's clients wrote
 * beside them, and the table's summaries of non-finite values. They are read and written together:
 * the leaves of one key are adjacent, and on PostgreSQL each statement is a round trip.
 */
export async function indexMetas(
  tools: IndexTools,
  experimentIds: readonly string[],
  stopped: AbortSignal,
): Promise<void> {
  const read = () => tools.database.read((reader) => readConfigs(reader, experimentIds));
  let configs = await read();
  const before = configs.filter(({ hasNotesBefore }) => hasNotesBefore);
  for (const { experimentId } of before) {
    const found = await tools.database.read((reader) => readNonfiniteBefore(reader, experimentId));
    if (found !== undefined) await tools.write("experiment.addNonfiniteBefore", found);
  }
  if (before.length > 0) configs = await read();
  const indexed: IndexedConfig[] = [];
  for (const [organizationId, own] of Map.groupBy(configs, (config) => config.organizationId)) {
    const found = own.map(({ meta, attributes }) =>
      configLeaves(JSON.parse(meta) as object, attributes),
    );
    const paths = [...new Set(found.flat().map(({ path }) => path))];
    const ids = await numberPaths(tools, organizationId, paths, stopped);
    for (const [at, config] of own.entries()) {
      const nonfinite = await numberMetrics(tools, organizationId, config.nonfinite);
      indexed.push({ ...changesOf(config, found[at], ids), nonfinite });
    }
  }
  let batch: IndexedConfig[] = [];
  let rows = 0;
  for (const [at, one] of indexed.entries()) {
    batch.push(one);
    rows += one.removed.length + one.added.length + one.nonfinite.length;
    if (rows < rowsPerWrite && at < indexed.length - 1) continue;
    await tools.pace.take(rows, stopped);
    await tools.write("summaries.index", { experiments: batch });
    [batch, rows] = [[], 0];
  }
}

function changesOf(
  { experimentId, indexedVersion: from, version: to, leaves: before }: StoredConfig,
  found: readonly ConfigLeaf[],
  ids: ReadonlyMap<string, number>,
): Omit<IndexedConfig, "nonfinite"> {
  const numbered = found.flatMap((leaf) => {
    const key = ids.get(entryText([leaf.path]));
    return key === undefined ? [] : [{ key, ...leaf }];
  });
  const wanted = Map.groupBy(numbered, ({ key }) => key);
  const stored = Map.groupBy(before, ({ key }) => key);
  const isChanged = (key: number) =>
    wanted.get(key)?.map(leafText).join() !== stored.get(key)?.map(leafText).join();
  const keys = [...wanted.keys()];
  return {
    experimentId,
    from,
    to,
    removed: [...stored.keys()].filter(isChanged),
    added: keys.filter(isChanged).flatMap((key) => wanted.get(key)!),
    keys,
  };
}

async function numberMetrics(
  tools: IndexTools,
  organizationId: string,
  summaries: readonly NonfiniteSummary[],
): Promise<IndexedConfig["nonfinite"]> {
  if (summaries.length === 0) return [];
  const entries = summaries.map(({ name, meta }) => [name, meta]);
  const wanted = { dictionary: "metric_name", organizationId, entries } as const;
  const ids = await numberEntries(tools, wanted);
  return summaries.map((summary) => {
    return { metric: ids.get(entryText([summary.name, summary.meta]))!, summary };
  });
}

/** Returns the numbers of paths, those that have one and those added. */
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
 * `summaries.index`: stores new leaves of some experiments, each only if the stored ones are still
 * those compared. Otherwise another node was faster, and nothing of that experiment changes.
 */
export async function indexConfigs(
  transaction: Transaction,
  { experiments }: { experiments: readonly IndexedConfig[] },
): Promise<void> {
  const moved = await changeRows<{ experiment: string }>(
    transaction,
    (values) =>
      `UPDATE summarized SET indexed_version = changed.column3 FROM ${values} AS changed
       WHERE experiment = changed.column1 AND indexed_version = changed.column2
       RETURNING experiment`,
    // In one order, so that no two nodes wait for each other.
    experiments
      .toSorted(inOrder)
      .map(({ experimentId, from, to }) => [experimentId, from, to] as const),
  );
  const isMoved = new Set(moved.map(({ experiment }) => experiment));
  const indexed = experiments.filter(({ experimentId }) => isMoved.has(experimentId));
  for (const { experimentId, removed } of indexed) {
    if (removed.length === 0) continue;
    await transaction.run(
      `DELETE FROM config_value
       WHERE experiment = $1 AND ${transaction.isOneOfIntegers("key", "$2")}`,
      experimentId,
      JSON.stringify(removed),
    );
  }
  const rows = indexed.flatMap(({ experimentId, added }) =>
    added.map((leaf) => ({ experimentId, ...leaf })),
  );
  // In the order of the table.
  rows.sort(
    (left, right) => left.key - right.key || inOrder(left, right) || left.element - right.element,
  );
  const columns = ["key", "experiment", "element", "kind", "number", "text"];
  await insertRows(
    transaction,
    "config_value",
    columns,
    rows.map(({ key, experimentId, element, kind, number, text }): Value[] => [
      key,
      experimentId,
      element,
      kind,
      number,
      text,
    ]),
  );
  await insertRows(
    transaction,
    "config_keys",
    ["experiment", "keys"],
    indexed.map(({ experimentId, keys }) => [experimentId, JSON.stringify(keys)]),
    "ON CONFLICT (experiment) DO UPDATE SET keys = excluded.keys",
  );
  await writeNonfinite(
    transaction,
    indexed.flatMap(({ experimentId, nonfinite }) =>
      nonfinite.map((one) => ({ experimentId, ...one })),
    ),
  );
}

export async function readConfigs(
  reader: Reader,
  experimentIds: readonly string[],
): Promise<StoredConfig[]> {
  const rows = await reader.all<{
    experiment: string;
    organization: string;
    meta: string;
    meta_version: number;
    indexed_version: number;
    notes_before: number;
    keys: string | null;
  }>(
    `SELECT summarized.experiment, organization, meta, meta_version, indexed_version, notes_before,
       keys
     FROM summarized JOIN experiment ON experiment.id = summarized.experiment
     LEFT JOIN config_keys ON config_keys.experiment = summarized.experiment
     WHERE ${reader.isOneOf("summarized.experiment", "$1")}`,
    JSON.stringify(experimentIds),
  );
  const attributes = await readAttributeLeaves(reader, experimentIds);
  const nonfinite = await readNonfiniteSummaries(reader, experimentIds);
  const configs: StoredConfig[] = [];
  for (const row of rows) {
    const { experiment: experimentId, organization: organizationId, meta, keys } = row;
    // An experiment never indexed has none.
    const leaves =
      keys === null || keys === "[]" ? [] : await readLeaves(reader, experimentId, keys);
    configs.push({
      experimentId,
      organizationId,
      meta,
      version: row.meta_version,
      indexedVersion: row.indexed_version,
      hasNotesBefore: row.notes_before > 0,
      nonfinite: nonfinite.get(experimentId) ?? [],
      leaves,
      attributes: attributes.get(experimentId) ?? [],
    });
  }
  return configs;
}

function inOrder(left: { experimentId: string }, right: { experimentId: string }): number {
  if (left.experimentId === right.experimentId) return 0;
  return left.experimentId < right.experimentId ? -1 : 1;
}

function readLeaves(reader: Reader, experimentId: string, keys: string) {
  return reader.all<{ key: number } & ConfigLeaf>(
    `SELECT key, path, element, kind, number, text FROM config_value JOIN config_key ON id = key
     WHERE experiment = $1 AND ${reader.isOneOfIntegers("key", "$2")} ORDER BY key, element`,
    experimentId,
    keys,
  );
}

/**
 * Reads the params and tags that MLflow's clients wrote beside metas, params first, by experiment.
 */
export async function readAttributeLeaves(
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

/** Returns a leaf's text; two leaves are the same when their texts are. */
export function leafText({ path, element, kind, number, text }: ConfigLeaf): string {
  return JSON.stringify([path, element, kind, number, text]);
}
