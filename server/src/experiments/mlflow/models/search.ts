import type { Reader } from "../../../database/database.ts";
import { type Condition, fitting, type ComparedValue } from "../condition.ts";
import { comparePositions, type OrderBy, type SearchPosition, sortValue } from "../order.ts";
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
  after: SearchPosition | undefined;
}

/** A metric counts as measured on this data set; undefined: on any. */
export interface ModelOrder extends OrderBy {
  dataset: DatasetFilter | undefined;
}

export interface FoundModels {
  models: LoggedModel[];
  next: SearchPosition | undefined;
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
  { organizationId, folderIds, conditions, datasets, orderBy, limit, after }: SearchModels,
): Promise<FoundModels> {
  const candidates = await reader.all<ModelRow>(
    `SELECT ${modelColumns} FROM logged_model
     WHERE organization = $1 AND ${reader.isOneOf("folder", "$2")} AND deleted_at_ms IS NULL`,
    organizationId,
    JSON.stringify(folderIds),
  );
  let left = candidates;
  for (const condition of conditions) left = await thoseThatFit(reader, left, condition, datasets);
  const namesMetric = conditions.some(({ field }) => field.kind === "metric");
  if (datasets.length > 0 && !namesMetric) {
    const measured = await modelsMeasuredOn(reader, idsOf(left), datasets);
    left = left.filter(({ id }) => measured.has(id));
  }
  const isByCreation = orderBy.some(({ field }) => field.key === byCreation.field.key);
  const clauses = isByCreation ? orderBy : [...orderBy, byCreation];
  const places: SearchPosition[] = left.map(({ id }) => ({ id, values: [] }));
  for (const clause of clauses) {
    const column = await columnOf(reader, left, clause);
    for (const [at, row] of left.entries()) places[at].values.push(sortValue(column(row)));
  }
  const behind =
    after === undefined
      ? places
      : places.filter((place) => comparePositions(place, after, clauses) > 0);
  behind.sort((one, other) => comparePositions(one, other, clauses));
  const models = await readPage(reader, idsOf(behind.slice(0, limit)));
  const last = behind.length > models.length ? behind[models.length - 1] : undefined;
  return { models, next: last && { values: last.values, id: last.id } };
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
