import type { Field, TableRow } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import type { QueryTerms } from "./compile-query.ts";
import {
  livenessColumns,
  livenessJoin,
  type LivenessRow,
  withLiveness,
} from "../../attempts/liveness.ts";
import { beganAtMs, endedAtMs } from "../../experiments/summaries/training-time.ts";
import { readFoldersAbove } from "./folder-order.ts";
import { colourPath, metaPath } from "./known-names.ts";
import { type StatRow, statSelection, statValue } from "./metric-stats.ts";
import { type ColumnField, joinedTables, ownColumn } from "./own-columns.ts";
import { SqlText } from "./sql-text.ts";

export type CellValue = TableRow["values"][number];

/** The rows of some experiments, in the order of the ids, with the values of the columns. */
export async function readRows(
  reader: Reader,
  terms: QueryTerms,
  columns: readonly Field[],
  ids: readonly string[],
): Promise<TableRow[]> {
  if (ids.length === 0) return [];
  const values = new Map<string, CellValue[]>();
  for (const id of ids)
    values.set(
      id,
      columns.map(() => null),
    );
  const found = await readOwn(reader, terms, columns, ids, values);
  await readMetas(reader, terms, columns, ids, values);
  const looks = new Map(ids.map((id) => [id, [null, null] as CellValue[]]));
  await readMetas(reader, terms, lookFields, ids, looks);
  const nonfinite = new Map(ids.map((id) => [id, columns.map(() => 0)]));
  await readMetrics(reader, terms, columns, ids, values, nonfinite);
  await namePaths(reader, terms, columns, values);
  return ids.flatMap((id) => {
    const row = found.get(id);
    if (row === undefined) return [];
    const [name, colour] = looks.get(id)!;
    const counts = nonfinite.get(id)!;
    return [
      {
        ...row,
        name: typeof name === "string" && name !== "" ? name : null,
        ...(isColour(colour) && { colour }),
        values: values.get(id)!,
        ...(counts.some((count) => count > 0) && { nonfinite: counts }),
      },
    ];
  });
}

/** Fields that every row has beside its columns: the name and the colour. */
const lookFields: readonly Field[] = [
  { kind: "own", name: "name" },
  { kind: "meta", path: colourPath },
];

function isColour(value: CellValue): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.coloursMax;
}

/** The values of the columns alone, by experiment; folders are ids. */
export async function readCells(
  reader: Reader,
  terms: QueryTerms,
  columns: readonly Field[],
  ids: readonly string[],
): Promise<Map<string, CellValue[]>> {
  const empty = <Value>(value: Value) => new Map(ids.map((id) => [id, columns.map(() => value)]));
  const values: Map<string, CellValue[]> = empty<CellValue>(null);
  const text = new SqlText();
  const shown = shownColumns(terms, columns, text);
  if (shown.length > 0) {
    text.joined.delete("experiment");
    const rows = await reader.composed<Record<string, string | number | null> & { id: string }>(
      `SELECT e.id AS id, ${shown.map(({ sql, at }) => `${sql} AS shown${at}`).join(", ")}
       FROM experiment e ${joinedTables(text.joined, "e.id").join(" ")}
       WHERE ${reader.isOneOf("e.id", text.bind(JSON.stringify(ids)))}`,
      ...text.values,
    );
    for (const row of rows) for (const { at } of shown) values.get(row.id)![at] = row[`shown${at}`];
  }
  await readMetas(reader, terms, columns, ids, values);
  await readMetrics(reader, terms, columns, ids, values, empty(0));
  return values;
}

type OwnRow = Omit<TableRow, "name" | "colour" | "values" | "nonfinite">;

const textMax = limits.tableTextCharactersMax;
const ownSelection = {
  experimentId: "e.id",
  slug: "e.slug",
  description: `substr(e.description, 1, ${textMax})`,
  status: "e.status",
  error: `substr(e.error, 1, ${textMax})`,
  folderId: "e.folder",
  createdAtMs: "e.created_at_ms",
  updatedAtMs: "e.updated_at_ms",
  beganAtMs,
  endedAtMs,
  startedAtMs: "e.started_at_ms",
  doneAtMs: "e.done_at_ms",
  errorAtMs: "e.error_at_ms",
  statusAtMs: "e.status_at_ms",
  points: "h.points",
  seriesVersion: "z.metrics_version",
  metaVersion: "z.meta_version",
  revision: "h.revision + h.told_revision",
  appendedAtMs: "h.appended_at_ms",
};
const selected = { ...ownSelection, ...livenessColumns };
const selection = Object.values(selected).map((sql, at) => `${sql} AS own${at}`);
const selectedNames = Object.keys(selected);

/** PostgreSQL folds names: columns are told by their number. */
async function readOwn(
  reader: Reader,
  terms: QueryTerms,
  columns: readonly Field[],
  ids: readonly string[],
  values: Map<string, CellValue[]>,
): Promise<Map<string, OwnRow>> {
  const text = new SqlText();
  const shown = shownColumns(terms, columns, text);
  const columnsShown = shown.map(({ sql, at }) => `${sql} AS shown${at}`);
  const rows = await reader.composed<Record<string, string | number | null>>(
    `SELECT ${[...selection, ...columnsShown].join(", ")} FROM experiment e JOIN head h ON h.experiment = e.id
     JOIN summarized z ON z.experiment = e.id LEFT JOIN run r ON r.experiment = e.id
     ${livenessJoin("e.id")}
     WHERE e.organization = ${text.bind(terms.organizationId)} AND e.trashed_at_ms IS NULL
       AND ${reader.isOneOf("e.id", text.bind(JSON.stringify(ids)))}`,
    ...text.values,
  );
  return new Map(
    rows.map((row) => {
      const named = selectedNames.map((name, at) => [name, row[`own${at}`]]);
      const all = Object.fromEntries(named) as Omit<OwnRow, "liveness"> & LivenessRow;
      const own = withLiveness(all, terms.nowMs);
      for (const { at } of shown) values.get(own.experimentId)![at] = row[`shown${at}`];
      return [own.experimentId, own];
    }),
  );
}

/** Columns that an experiment itself has, and their places. */
function shownColumns({ nowMs }: QueryTerms, columns: readonly Field[], text: SqlText) {
  return columns.flatMap((field, at) => {
    if (field.kind !== "own" || metaPath(field) !== undefined) return [];
    const { sql } = ownColumn(field.name as ColumnField, nowMs, text);
    const isLong = field.name === "description" || field.name === "error";
    return [{ at, sql: isLong ? `substr(${sql}, 1, ${textMax})` : sql }];
  });
}

/** Folders are shown as their paths. */
async function namePaths(
  reader: Reader,
  { organizationId }: QueryTerms,
  columns: readonly Field[],
  values: Map<string, CellValue[]>,
): Promise<void> {
  const places = columns.flatMap((field, at) =>
    field.kind === "own" && field.name === "folder" ? [at] : [],
  );
  if (places.length === 0) return;
  const all = [...values.values()];
  const shown = new Set(all.map((cells) => cells[places[0]]).filter((id) => id !== null));
  const folders = await readFoldersAbove(reader, organizationId, [...shown].map(String));
  for (const cells of all) {
    const id = cells[places[0]];
    for (const at of places) cells[at] = id === null ? null : folders.pathOf(String(id));
  }
}

/** Leaves of the metas: a list is its JSON. */
async function readMetas(
  reader: Reader,
  { names }: QueryTerms,
  columns: readonly Field[],
  ids: readonly string[],
  values: Map<string, CellValue[]>,
): Promise<void> {
  const places = placesOf(columns, (field) => {
    const path = metaPath(field);
    return path === undefined ? undefined : names.key(path);
  });
  if (places.size === 0) return;
  const text = new SqlText();
  const rows = await reader.composed<ConfigRow & { key: number; experiment: string }>(
    `SELECT key, experiment, kind, number, text FROM config_value
     WHERE key IN (${[...places.keys()].map((key) => text.bind(key)).join(", ")})
       AND element = -1 AND ${reader.isOneOf("experiment", text.bind(JSON.stringify(ids)))}`,
    ...text.values,
  );
  for (const { key, experiment, ...row } of rows) {
    for (const at of places.get(key)!) values.get(experiment)![at] = configValue(row);
  }
}

export interface ConfigRow {
  kind: number;
  number: number | null;
  text: string;
}

/** Kinds are those of migration 008. */
export function configValue({ kind, number, text }: ConfigRow): CellValue {
  if (kind === 0) return null;
  if (kind === 1) return number === 1;
  return kind === 2 ? number : text;
}

async function readMetrics(
  reader: Reader,
  { names }: QueryTerms,
  columns: readonly Field[],
  ids: readonly string[],
  values: Map<string, CellValue[]>,
  nonfinite: Map<string, number[]>,
): Promise<void> {
  const places = placesOf(columns, (field) =>
    field.kind === "metric" ? names.metric(field) : undefined,
  );
  if (places.size === 0) return;
  const text = new SqlText();
  const rows = await reader.composed<StatRow & { metric: number; experiment: string }>(
    `SELECT metric, experiment, ${statSelection} FROM metric_summary
     WHERE metric IN (${[...places.keys()].map((metric) => text.bind(metric)).join(", ")})
       AND ${reader.isOneOf("experiment", text.bind(JSON.stringify(ids)))}`,
    ...text.values,
  );
  for (const row of rows) {
    for (const at of places.get(row.metric)!) {
      const { stat } = columns[at] as Field & { kind: "metric" };
      values.get(row.experiment)![at] = statValue(row, stat);
      if (row.stat_nonfinite > 0) nonfinite.get(row.experiment)![at] = row.stat_nonfinite;
    }
  }
}

/** Returns the columns of each key or metric, by its id. */
function placesOf(
  columns: readonly Field[],
  idOf: (field: Field) => number | undefined,
): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const [at, field] of columns.entries()) {
    const id = idOf(field);
    if (id !== undefined) places.set(id, [...(places.get(id) ?? []), at]);
  }
  return places;
}
