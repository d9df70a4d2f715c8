import type { Reader } from "../../../database/database.ts";
import type { WalkContext } from "../../../ground/walk.ts";
import { type Condition, fitting, type ComparedValue } from "../condition.ts";
import {
  comparePositions,
  type OrderBy,
  type PageEnd,
  type SearchPosition,
  type SortValue,
  sortValue,
} from "../order.ts";
import { findPage } from "../search-pages.ts";
import {
  type MetricFacts,
  modelsMeasuredOn,
  readMetricFacts,
  type DatasetFilter,
} from "./metric-facts.ts";
import { modelArtifactUri, modelColumns, type ModelRow } from "./model-row.ts";
import { type LoggedModel, readModels } from "./read.ts";

export interface SearchModels {
  organizationId: string;
  folderIds: string[];
  conditions: Condition[];
  /** Data sets on which metrics count; empty: any. */
  datasets: DatasetFilter[];
  orderBy: ModelOrder[];
  limit: number;
  after: PageEnd | undefined;
}

type Asked = Omit<SearchModels, "orderBy" | "limit" | "after">;

/** A metric counts as measured on this data set; undefined: on any. */
export interface ModelOrder extends OrderBy {
  dataset: DatasetFilter | undefined;
}

export interface FoundModels {
  models: LoggedModel[];
  next: PageEnd | undefined;
}

/** Order after the clauses of the request: the newest first. */
const byCreation: ModelOrder = {
  field: { kind: "attribute", key: "creation_timestamp" },
  isAscending: false,
  dataset: undefined,
};

/** `model.search`: like `searchRuns`; models marked as deleted are not found. */
export async function searchModels(
  reader: Reader,
  { orderBy, limit, after, ...asked }: SearchModels,
  context: WalkContext,
): Promise<FoundModels> {
  const isByCreation = orderBy.some(({ field }) => field.key === byCreation.field.key);
  const clauses = isByCreation ? orderBy : [...orderBy, byCreation];
  const { ids, endAt } = await findPage(
    {
      organizationId: asked.organizationId,
      asked: { ...asked, clauses },
      async readBehind(place, placesMax) {
        const places = await placesOf(reader, await findModels(reader, asked), clauses);
        return places
          .filter((one) => place === undefined || comparePositions(one, place, clauses) > 0)
          .sort((one, other) => comparePositions(one, other, clauses))
          .slice(0, placesMax);
      },
      findAmong: async (among) => new Set(idsOf(await findModels(reader, asked, among))),
    },
    after,
    limit,
    context,
  );
  const models = await readPage(reader, ids);
  return { models, next: endAt(models.length) };
}

/** Finds models in any order; with `among`, of these only. */
async function findModels(
  reader: Reader,
  { organizationId, folderIds, conditions, datasets }: Asked,
  among?: readonly string[],
): Promise<ModelRow[]> {
  let left = await reader.all<ModelRow>(
    `SELECT ${modelColumns} FROM logged_model
     WHERE organization = $1 AND ${reader.isOneOf("folder", "$2")} AND deleted_at_ms IS NULL
       ${among === undefined ? "" : `AND ${reader.isOneOf("id", "$3")}`}`,
    organizationId,
    JSON.stringify(folderIds),
    ...(among === undefined ? [] : [JSON.stringify(among)]),
  );
  for (const condition of conditions) left = await thoseThatFit(reader, left, condition, datasets);
  const namesMetric = conditions.some(({ field }) => field.kind === "metric");
  if (datasets.length > 0 && !namesMetric) {
    const measured = await modelsMeasuredOn(reader, idsOf(left), datasets);
    left = left.filter(({ id }) => measured.has(id));
  }
  return left;
}

async function placesOf(
  reader: Reader,
  rows: readonly ModelRow[],
  clauses: readonly ModelOrder[],
): Promise<SearchPosition[]> {
  const places = rows.map(({ id }) => ({ id, values: [] as SortValue[] }));
  for (const clause of clauses) {
    const column = await columnOf(reader, rows, clause);
    for (const [at, row] of rows.entries()) places[at].values.push(sortValue(column(row)));
  }
  return places;
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

const modelsPerRead = 10;
const metricsPerPageMax = 100_000;

/** Reads as many models as fit a reply with their metrics; at least one, if there is any. */
async function readPage(reader: Reader, ids: readonly string[]): Promise<LoggedModel[]> {
  const models: LoggedModel[] = [];
  for (let start = 0, metrics = 0; start < ids.length && metrics < metricsPerPageMax;) {
    const some = await readModels(reader, ids.slice(start, start + modelsPerRead));
    models.push(...some);
    metrics += some.reduce((sum, model) => sum + model.metrics.length, 0);
    start += modelsPerRead;
  }
  return models;
}

async function thoseThatFit(
  reader: Reader,
  rows: readonly ModelRow[],
  condition: Condition,
  datasets: readonly DatasetFilter[],
): Promise<ModelRow[]> {
  const { kind, key } = condition.field;
  const fits = fitting(condition);
  if (kind === "attribute") return rows.filter((row) => fits(attribute(row, key)));
  if (kind === "metric") {
    const facts = await readMetricFacts(reader, idsOf(rows), key, datasets);
    const isFitting = ({ value }: MetricFacts) => fits(value);
    return rows.filter(({ id }) => facts.get(id)?.some(isFitting));
  }
  const pairs = await readValues(reader, kind, idsOf(rows), key);
  return rows.filter(({ id }) => fits(pairs.get(id)));
}

async function columnOf(
  reader: Reader,
  rows: readonly ModelRow[],
  { field: { kind, key }, dataset }: ModelOrder,
): Promise<(row: ModelRow) => ComparedValue> {
  if (kind === "attribute") return (row) => attribute(row, key);
  if (kind !== "metric") throw new Error(`BUG: models are not ordered by a ${kind}`);
  const facts = await readMetricFacts(
    reader,
    idsOf(rows),
    key,
    dataset === undefined ? [] : [dataset],
  );
  return ({ id }) => facts.get(id)?.[0].value;
}

async function readValues(
  reader: Reader,
  kind: string,
  modelIds: readonly string[],
  key: string,
): Promise<Map<string, string>> {
  const table = kind === "param" ? "logged_model_param" : "logged_model_tag";
  const rows = await reader.all<{ model: string; value: string }>(
    `SELECT model, value FROM ${table} WHERE key = $1 AND ${reader.isOneOf("model", "$2")}`,
    key,
    JSON.stringify(modelIds),
  );
  return new Map(rows.map(({ model, value }) => [model, value]));
}

function attribute(row: ModelRow, key: string): ComparedValue {
  switch (key) {
    case "model_id":
      return row.id;
    case "experiment_id":
      return row.folder;
    case "name":
      return row.name;
    case "model_type":
      return row.model_type;
    case "source_run_id":
      return row.source_run;
    case "status":
      return String(row.status);
    case "status_message":
      return undefined;
    case "lifecycle_stage":
      return "active";
    case "artifact_location":
      return modelArtifactUri(row);
    case "creation_timestamp":
      return row.created_at_ms;
    case "last_updated_timestamp":
      return row.updated_at_ms;
    default:
      throw new Error(`BUG: a logged model has no attribute ${key}`);
  }
}
