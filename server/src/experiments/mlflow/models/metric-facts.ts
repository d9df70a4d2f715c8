import type { Reader } from "../../../database/database.ts";
import { modelMetricOf, type ReadMetric, type StoredModelMetric } from "./metrics.ts";

/** A filter of data sets; undefined fields match any. */
export interface DatasetFilter {
  name: string | undefined;
  digest: string | undefined;
}

export type MetricFacts = Pick<ReadMetric, "value">;

/** Values of one metric by model, the latest first: by time, step, run. */
export async function readMetricFacts(
  reader: Reader,
  modelIds: readonly string[],
  key: string,
  datasets: readonly DatasetFilter[],
): Promise<Map<string, MetricFacts[]>> {
  const rows = await reader.all<StoredModelMetric>(
    `SELECT model, key, kind, value, timestamp, step, experiment, dataset_name, dataset_digest
     FROM logged_model_metric WHERE ${reader.isOneOf("model", "$1")} AND key = $2
     ORDER BY model, timestamp DESC, step DESC, experiment, id`,
    JSON.stringify(modelIds),
    key,
  );
  const found = new Map<string, MetricFacts[]>();
  for (const row of rows) {
    if (!isMeasuredOn(row, datasets)) continue;
    const { value } = modelMetricOf(row);
    const own = found.get(row.model);
    if (own === undefined) found.set(row.model, [{ value }]);
    else own.push({ value });
  }
  return found;
}

/** Returns the models that have a metric on one of the data sets. */
export async function modelsMeasuredOn(
  reader: Reader,
  modelIds: readonly string[],
  datasets: readonly DatasetFilter[],
): Promise<Set<string>> {
  const rows = await reader.all<MeasuredOn & { model: string }>(
    `SELECT DISTINCT model, dataset_name, dataset_digest FROM logged_model_metric
     WHERE ${reader.isOneOf("model", "$1")} AND ${reader.isOneOf("dataset_name", "$2")}`,
    JSON.stringify(modelIds),
    JSON.stringify(datasets.map(({ name }) => name)),
  );
  const measured = rows.filter((row) => isMeasuredOn(row, datasets));
  return new Set(measured.map(({ model }) => model));
}

type MeasuredOn = Pick<StoredModelMetric, "dataset_name" | "dataset_digest">;

function isMeasuredOn(
  { dataset_name: name, dataset_digest: digest }: MeasuredOn,
  datasets: readonly DatasetFilter[],
): boolean {
  const fits = (dataset: DatasetFilter) =>
    (dataset.name === undefined || dataset.name === name) &&
    (dataset.digest === undefined || dataset.digest === digest);
  return datasets.length === 0 || datasets.some(fits);
}
