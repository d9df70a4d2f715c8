import type { Reader, Value } from "../../database/database.ts";
import type { PointsReader } from "../summaries/lasts.ts";
import { type Condition, type Field, fitting, type ComparedValue } from "./condition.ts";
import { readLatest } from "./latest.ts";
import { nameTag } from "./name.ts";
import { comparePositions, type SearchPosition, type SortValue, sortValue } from "./order.ts";
import { isOriginTag, nativeParam, nativeTags, noteTag } from "./native.ts";
import {
  artifactUriOf,
  endOf,
  factColumns,
  type RunFacts,
  runTables,
  startOf,
  statusWord,
} from "./run-row.ts";
import { candidatesWhere, type Search } from "./search-statement.ts";

/**
 * Returns the places of the runs for which `where` holds, of all where it is "": reads their
 * columns and compares them here, with metas, descriptions and points of v2.
 */
export async function placesCompared(
  reader: Reader,
  search: Search,
  where: string,
  context: PointsReader,
): Promise<SearchPosition[]> {
  const { conditions, clauses, after } = search;
  const candidates = await readCandidates(reader, search, where);
  const fields = [...conditions, ...clauses].map(({ field }) => field);
  const columns = new Columns(reader, candidates, context, fields);
  let left = candidates;
  for (const condition of conditions) {
    if (condition.field.kind === "dataset") {
      const reading = await runsWithDataset(reader, left, condition);
      left = left.filter(({ id }) => reading.has(id));
      continue;
    }
    const column = await columns.of(condition.field);
    const isFitting = fitting(condition);
    left = await reader.filtered(left, (run) => isFitting(column(run)));
  }
  const places = left.map(({ id }) => ({ id, values: [] as SortValue[] }));
  for (const { field } of clauses) {
    const column = await columns.of(field);
    for (const [at, run] of left.entries()) places[at].values.push(sortValue(column(run)));
  }
  const behind =
    after === undefined
      ? places
      : places.filter((place) => comparePositions(place, after, clauses) > 0);
  return behind.sort((one, other) => comparePositions(one, other, clauses)).slice(0, search.limit);
}

async function readCandidates(reader: Reader, search: Search, where: string): Promise<RunFacts[]> {
  const values: Value[] = [];
  const bind = (value: Value) => `$${values.push(value)}` as const;
  const conditions = candidatesWhere(reader, { bind }, search);
  if (where !== "") conditions.push(where);
  return reader.all<RunFacts>(
    `SELECT ${factColumns} FROM ${runTables} WHERE ${conditions.join(" AND ")}`,
    ...values,
  );
}

/** The runs that read a data set which fits; others that they read do not count against it. */
async function runsWithDataset(
  reader: Reader,
  candidates: readonly RunFacts[],
  condition: Condition,
): Promise<Set<string>> {
  const rows = await reader.all<DatasetFacts>(
    `SELECT run_input.experiment, run_input.context, dataset.name, dataset.digest
     FROM run_input JOIN dataset ON dataset.id = run_input.dataset
     WHERE ${reader.isOneOf("run_input.experiment", "$1")}`,
    JSON.stringify(candidates.map(({ id }) => id)),
  );
  const key = condition.field.key as "name" | "digest" | "context";
  const isFitting = fitting(condition);
  const found = await reader.filtered(rows, (row) => isFitting(row[key]));
  return new Set(found.map(({ experiment }) => experiment));
}

interface DatasetFacts {
  experiment: string;
  name: string;
  digest: string;
  context: string | null;
}

const nativeAtOnce = 500;

type Column = (run: RunFacts) => ComparedValue;

/** Columns of the candidates; each is read once, and all metrics together. */
class Columns {
  readonly #reader: Reader;
  readonly #candidates: readonly RunFacts[];
  readonly #context: PointsReader;
  readonly #metrics: readonly string[];
  #latest: ReturnType<typeof readLatest> | undefined;
  readonly #known = new Map<string, Column>();

  constructor(
    reader: Reader,
    candidates: readonly RunFacts[],
    context: PointsReader,
    fields: readonly Field[],
  ) {
    this.#reader = reader;
    this.#candidates = candidates;
    this.#context = context;
    const metrics = fields.filter(({ kind }) => kind === "metric");
    this.#metrics = [...new Set(metrics.map(({ key }) => key))];
  }

  async of(field: Field): Promise<Column> {
    const name = JSON.stringify([field.kind, field.key]);
    const column = this.#known.get(name) ?? (await this.#read(field));
    this.#known.set(name, column);
    return column;
  }

  async #read({ kind, key }: Field): Promise<Column> {
    switch (kind) {
      case "attribute":
        return key === "run_name" ? this.#names() : (run) => attribute(run, key);
      case "metric": {
        this.#latest ??= readLatest(this.#reader, this.#candidates, this.#context, this.#metrics);
        const latest = await this.#latest;
        return ({ id }) => latest.get(id)?.get(key)?.value;
      }
      case "param":
        return this.#orNative(await this.#pairs("run_param", key), "meta", (meta) =>
          nativeParam(meta, key),
        );
      case "tag": {
        const tags = await this.#pairs("run_tag", key);
        if (key === nameTag)
          return (run) => tags(run) ?? (run.name === null ? run.slug : undefined);
        if (isOriginTag(key))
          return this.#orNative(tags, "meta", (meta) => nativeTags(meta).get(key));
        return key === noteTag ? this.#orNative(tags, "description", (text) => text) : tags;
      }
      case "dataset":
        throw new Error("BUG: a run has many data sets");
    }
  }

  async #names(): Promise<Column> {
    const named = await this.#pairs("run_tag", nameTag);
    return (run) => named(run) ?? run.name ?? run.slug;
  }

  /** Completes a column with the experiment's own fields where MLflow wrote no value. */
  async #orNative(
    written: Column,
    column: "meta" | "description",
    valueOf: (text: string) => string | undefined,
  ): Promise<Column> {
    const empty = column === "meta" ? "{}" : "";
    const ids = this.#candidates.filter((run) => written(run) === undefined).map(({ id }) => id);
    const native = new Map<string, string>();
    // Metas can be large: not all of them at once.
    for (let from = 0; from < ids.length; from += nativeAtOnce) {
      const rows = await this.#reader.all<{ id: string; text: string }>(
        `SELECT id, ${column} AS text FROM experiment
         WHERE ${this.#reader.isOneOf("id", "$1")} AND ${column} <> '${empty}'`,
        JSON.stringify(ids.slice(from, from + nativeAtOnce)),
      );
      for (const { id, text } of rows) {
        const value = valueOf(text);
        if (value !== undefined) native.set(id, value);
      }
    }
    return (run) => written(run) ?? native.get(run.id);
  }

  async #pairs(table: "run_param" | "run_tag", key: string): Promise<Column> {
    const rows = await this.#reader.all<{ experiment: string; value: string }>(
      `SELECT experiment, value FROM ${table}
       WHERE key = $1 AND ${this.#reader.isOneOf("experiment", "$2")}`,
      key,
      JSON.stringify(this.#candidates.map(({ id }) => id)),
    );
    const values = new Map(rows.map(({ experiment, value }) => [experiment, value]));
    return ({ id }) => values.get(id);
  }
}

function attribute(run: RunFacts, key: string): ComparedValue {
  switch (key) {
    case "run_id":
      return run.id;
    case "status":
      return statusWord(run);
    case "user_id":
      return run.user_name ?? "";
    case "start_time":
      return startOf(run);
    case "end_time":
      return endOf(run);
    case "artifact_uri":
      return artifactUriOf(run);
    default:
      throw new Error(`BUG: a run has no attribute ${key}`);
  }
}
