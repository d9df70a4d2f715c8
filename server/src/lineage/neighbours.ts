import type { Reader } from "../database/database.ts";
import { directions } from "../experiments/lineage/links.ts";
import { integerOf } from "../experiments/mlflow/metric.ts";
import { byKind, datasetIn, datasetKey, type Kind, type NodeId } from "./keys.ts";

/** Towards what something was made of, or towards what was made of it. */
export type Way = "up" | "down";

/** A link between a run and something that it used or made, from the side of one of both. */
export interface Neighbour {
  /** The key of the node that was asked about. */
  key: string;
  other: NodeId;
  role: string;
  named: string;
  step: number | null;
  atMs: number | null;
}

export interface Asked {
  organizationId: string;
  kind: Kind;
  /** Keys of nodes of this kind. */
  keys: readonly string[];
  way: Way;
  /** Neighbours that are read of one node and one kind of link, as far as the rows allow. */
  each: number;
  /** If given, only neighbours are read that are among these nodes; all are counted. */
  among?: Iterable<NodeId> | undefined;
}

/** Rows that one statement returns for all its nodes together. */
const rowsMax = 20_000;

export interface Found {
  neighbours: Neighbour[];
  /** How many neighbours a node has, by key; nodes without any are missing. */
  totals: Map<string, number>;
}

/** Reads the neighbours of nodes of one kind on one side, of each node the newest ones. */
export async function readNeighbours(reader: Reader, asked: Asked): Promise<Found> {
  const found: Found = { neighbours: [], totals: new Map() };
  for (const source of sources[asked.kind][asked.way]) await source(reader, asked, found);
  return found;
}

type Source = (reader: Reader, asked: Asked, found: Found) => Promise<void>;

const sources: Record<Kind, Record<Way, readonly Source[]>> = {
  run: {
    up: [versionsOf(directions.used), datasetsOfRuns, modelsOf(0)],
    down: [versionsOf(directions.wrote), modelsOf(1), modelsMadeBy],
  },
  version: { up: [runsOf(directions.wrote)], down: [runsOf(directions.used)] },
  model: { up: [runsOfModels(1), makersOfModels], down: [runsOfModels(0)] },
  dataset: { up: [], down: [runsOfDatasets] },
};

interface Row {
  key: string;
  other: string;
  role: string;
  named: string;
  step: number | string | null;
  at_ms: number | null;
  total: number;
}

interface Statement {
  kind: Kind;
  /** Gives rows by key. */
  select: string;
  values: readonly [string, ...string[]];
  /** The neighbours that are wanted, as the rows name them; absent: all. */
  among?: readonly string[];
}

/** Takes of each key of a statement only the first rows, the newest first, and counts all. */
async function add(
  reader: Reader,
  { each, keys, among: nodes }: Asked,
  found: Found,
  { kind, select, values, among = nodes && (byKind(nodes).get(kind) ?? []) }: Statement,
): Promise<void> {
  const most = Math.max(1, Math.min(each, Math.floor(rowsMax / keys.length)));
  const rows =
    among === undefined
      ? await reader.all<Row>(
          numbered(
            `SELECT links.*, count(*) OVER (PARTITION BY key) AS total FROM (${select}) AS links`,
            most,
          ),
          ...values,
        )
      : await reader.all<Row>(
          // As an expression the column does not go through an index once for each pair.
          numbered(
            `SELECT links.*, 0 AS total FROM (${select}) AS links
             WHERE ${reader.isOneOf("other || ''", `$${values.length + 1}`)}`,
            most,
          ),
          ...values,
          JSON.stringify(among),
        );
  const counted =
    among === undefined
      ? rows
      : await reader.all<Pick<Row, "key" | "total">>(
          `SELECT key, count(*) AS total FROM (${select}) AS links GROUP BY key`,
          ...values,
        );
  for (const { key, other, role, named, step, at_ms: atMs } of rows) {
    const link = { role, named, step: stepOf(step), atMs };
    found.neighbours.push({ key, other: `${kind}:${other}`, ...link });
  }
  const totals = new Map(counted.map(({ key, total }) => [key, total]));
  for (const [key, total] of totals) found.totals.set(key, (found.totals.get(key) ?? 0) + total);
}

function numbered(select: string, most: number): string {
  return `SELECT key, other, role, named, step, at_ms, total FROM (
      SELECT counted.*, row_number() OVER (PARTITION BY key ORDER BY place DESC, other, role) AS number
      FROM (${select}) AS counted) AS numbered
    WHERE number <= ${most} ORDER BY key, number`;
}

/** Steps of MLflow's clients are texts, and may be any integer of 64 bits. */
function stepOf(step: number | string | null): number | null {
  const number = typeof step === "string" ? Number(integerOf(step)) : (step ?? NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function versionsOf(direction: number): Source {
  return (reader, asked, found) =>
    add(reader, asked, found, {
      kind: "version",
      select: `SELECT experiment AS key, subject AS other, role, named, step, at_ms, at_ms AS place FROM lineage
        WHERE ${reader.isOneOf("experiment", "$1")} AND direction = ${direction} AND organization = $2 AND ${reader.inTime()}`,
      values: [JSON.stringify(asked.keys), asked.organizationId],
    });
}

function runsOf(direction: number): Source {
  return (reader, asked, found) =>
    add(reader, asked, found, {
      kind: "run",
      select: `SELECT subject AS key, experiment AS other, role, named, step, at_ms, experiment AS place FROM lineage
        WHERE organization = $2 AND ${reader.isOneOf("subject", "$1")} AND direction = ${direction} AND ${reader.inTime()}`,
      values: [JSON.stringify(asked.keys), asked.organizationId],
    });
}

async function datasetsOfRuns(reader: Reader, asked: Asked, found: Found): Promise<void> {
  const rows: Found = { neighbours: [], totals: found.totals };
  const { organizationId, among } = asked;
  const wanted = among && byKind(among).get("dataset");
  const ids = wanted && [...(await idsOfDatasets(reader, organizationId, wanted)).keys()];
  await add(reader, asked, rows, {
    kind: "dataset",
    ...(among && { among: ids ?? [] }),
    select: `SELECT run_input.experiment AS key, run_input.dataset AS other, coalesce(context, '') AS role, '' AS named,
        NULL AS step, CAST(NULL AS BIGINT) AS at_ms, number AS place
      FROM run_input JOIN dataset ON dataset.id = run_input.dataset
      WHERE ${reader.isOneOf("run_input.experiment", "$1")} AND dataset.organization = $2
        AND ${reader.inTime()}`,
    values: [JSON.stringify(asked.keys), organizationId],
  });
  const named = new Set(rows.neighbours.map(({ other }) => other.slice("dataset:".length)));
  const datasets = await reader.all<{ id: string; name: string; digest: string }>(
    `SELECT id, name, digest FROM dataset WHERE ${reader.isOneOf("id", "$1")}`,
    JSON.stringify([...named]),
  );
  const keys = new Map(datasets.map((row) => [`dataset:${row.id}`, datasetKey(row)]));
  for (const row of rows.neighbours)
    found.neighbours.push({ ...row, other: `dataset:${keys.get(row.other) ?? ""}` });
}

/**
 * Returns the keys of data sets by id. Folders have data sets of their own; here those of one name
 * and digest are one.
 */
async function idsOfDatasets(
  reader: Reader,
  organizationId: string,
  wanted: readonly string[],
): Promise<Map<string, string>> {
  const isWanted = new Set(wanted);
  const digests = wanted.map((key) => datasetIn(key).digest);
  const datasets = await reader.all<{ id: string; name: string; digest: string }>(
    `SELECT id, name, digest FROM dataset WHERE organization = $1 AND ${reader.isOneOf("digest", "$2")}
       AND ${reader.inTime()} ORDER BY id LIMIT ${rowsMax}`,
    organizationId,
    JSON.stringify(digests),
  );
  const keys = datasets.map((row) => [row.id, datasetKey(row)] as const);
  return new Map(keys.filter(([, key]) => isWanted.has(key)));
}

async function runsOfDatasets(reader: Reader, asked: Asked, found: Found): Promise<void> {
  const keys = await idsOfDatasets(reader, asked.organizationId, asked.keys);
  const rows: Found = { neighbours: [], totals: new Map() };
  const ids = [...keys.keys()];
  await add(reader, { ...asked, keys: ids }, rows, {
    kind: "run",
    select: `SELECT dataset AS key, experiment AS other, coalesce(context, '') AS role, '' AS named, NULL AS step,
        CAST(NULL AS BIGINT) AS at_ms, experiment AS place
      FROM run_input WHERE ${reader.isOneOf("dataset", "$1")} AND ${reader.inTime()}`,
    values: [JSON.stringify(ids)],
  });
  for (const row of rows.neighbours) found.neighbours.push({ ...row, key: keys.get(row.key)! });
  for (const [id, total] of rows.totals) {
    const key = keys.get(id)!;
    found.totals.set(key, (found.totals.get(key) ?? 0) + total);
  }
}

function modelsOf(direction: number): Source {
  return (reader, asked, found) =>
    add(reader, asked, found, {
      kind: "model",
      select: `SELECT run_model.experiment AS key, model AS other, '' AS role, '' AS named, ${stepTo(direction)},
          logged_model.created_at_ms AS at_ms, number AS place
        FROM run_model JOIN logged_model ON logged_model.id = run_model.model
        WHERE ${reader.isOneOf("run_model.experiment", "$1")} AND direction = ${direction}
          AND logged_model.organization = $2 AND ${reader.inTime()}`,
      values: [JSON.stringify(asked.keys), asked.organizationId],
    });
}

/** Only what a run made has a step. */
function stepTo(direction: number): string {
  return direction === directions.wrote ? "step" : "NULL AS step";
}

/** Models that name a run as their source, without those that the run itself names as outputs. */
function modelsMadeBy(reader: Reader, asked: Asked, found: Found): Promise<void> {
  return add(reader, asked, found, {
    kind: "model",
    select: `SELECT source_run AS key, id AS other, '' AS role, '' AS named, NULL AS step, created_at_ms AS at_ms,
        created_at_ms AS place
      FROM logged_model WHERE organization = $2 AND ${reader.isOneOf("source_run", "$1")}
        AND NOT EXISTS (SELECT 1 FROM run_model WHERE run_model.experiment = logged_model.source_run
          AND direction = 1 AND model = logged_model.id) AND ${reader.inTime()}`,
    values: [JSON.stringify(asked.keys), asked.organizationId],
  });
}

function runsOfModels(direction: number): Source {
  return (reader, asked, found) =>
    add(reader, asked, found, {
      kind: "run",
      select: `SELECT model AS key, run_model.experiment AS other, '' AS role, '' AS named, ${stepTo(direction)},
          CAST(NULL AS BIGINT) AS at_ms, run_model.experiment AS place
        FROM run_model JOIN experiment ON experiment.id = run_model.experiment
        WHERE ${reader.isOneOf("model", "$1")} AND direction = ${direction} AND experiment.organization = $2
          AND ${reader.inTime()}`,
      values: [JSON.stringify(asked.keys), asked.organizationId],
    });
}

function makersOfModels(reader: Reader, asked: Asked, found: Found): Promise<void> {
  return add(reader, asked, found, {
    kind: "run",
    select: `SELECT logged_model.id AS key, experiment.id AS other, '' AS role, '' AS named, NULL AS step,
        logged_model.created_at_ms AS at_ms, experiment.id AS place
      FROM logged_model JOIN experiment ON experiment.id = source_run AND experiment.organization = $2
      WHERE ${reader.isOneOf("logged_model.id", "$1")} AND logged_model.organization = $2
        AND NOT EXISTS (SELECT 1 FROM run_model WHERE run_model.experiment = experiment.id AND direction = 1
          AND model = logged_model.id)`,
    values: [JSON.stringify(asked.keys), asked.organizationId],
  });
}
