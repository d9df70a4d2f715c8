import { createHash } from "node:crypto";
import type { Reader, Transaction } from "../../../database/database.ts";
import { insertNewRows } from "../../../database/rows.ts";
import { rowBytes, textBytes } from "../../../database/quotas/amounts.ts";
import type { Ledger } from "../../../database/quotas/ledger.ts";
import { integerOf, type RunMetric, storedInteger, storedValue, valueOf } from "../metric.ts";
import { modelNotFound } from "./model-row.ts";

/** A value of a run's metric that names a model, and perhaps the data set it was measured on. */
export interface ModelMetric extends RunMetric {
  modelId: string;
  datasetName: string | null;
  datasetDigest: string | null;
}

const columns = [
  "model",
  "key",
  "timestamp",
  "step",
  "id",
  "kind",
  "value",
  "experiment",
  "dataset_name",
  "dataset_digest",
];

interface CountedTexts {
  key: string;
  dataset_name: string | null;
  dataset_digest: string | null;
}

/** Returns the bytes of a row for its organization. */
export function modelMetricBytes({ key, ...texts }: CountedTexts): number {
  return rowBytes + textBytes(key, texts.dataset_name, texts.dataset_digest);
}

/** Adds metrics; existing rows stay. Models marked as deleted take values, too. */
export async function addModelMetrics(
  transaction: Transaction,
  { organizationId, runId }: { organizationId: string; runId: string },
  metrics: readonly ModelMetric[],
  ledger: Ledger,
): Promise<void> {
  if (metrics.length === 0) return;
  await requireModels(
    transaction,
    organizationId,
    metrics.map(({ modelId }) => modelId),
  );
  const rows = metrics.map((metric) => {
    const { kind, value } = storedValue(metric.value);
    return [
      metric.modelId,
      metric.key,
      storedInteger(metric.timestamp),
      storedInteger(metric.step),
      contentId(runId, metric),
      kind,
      value,
      runId,
      metric.datasetName,
      metric.datasetDigest,
    ];
  });
  const added = await insertNewRows<CountedTexts>(
    transaction,
    "logged_model_metric",
    columns,
    rows,
    "key, dataset_name, dataset_digest",
  );
  const bytes = added.reduce((sum, row) => sum + modelMetricBytes(row), 0);
  if (bytes > 0) await ledger.charge(organizationId, { bytes });
}

async function requireModels(
  transaction: Transaction,
  organizationId: string,
  modelIds: readonly string[],
): Promise<void> {
  const wanted = [...new Set(modelIds)];
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM logged_model WHERE organization = $1 AND ${transaction.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(wanted),
  );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = wanted.find((id) => !known.has(id));
  if (unknown !== undefined) throw modelNotFound(unknown);
}

/** Hashes the fields that the rest of the key lacks. */
function contentId(runId: string, { value, datasetName, datasetDigest }: ModelMetric): string {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value + 0);
  return createHash("sha256")
    .update(bits)
    .update(JSON.stringify([runId, datasetName, datasetDigest]))
    .digest("base64url")
    .slice(0, 22);
}

export interface StoredModelMetric extends CountedTexts {
  model: string;
  kind: number;
  value: number;
  timestamp: string;
  step: string;
  experiment: string;
}

export interface ReadMetric extends ModelMetric {
  runId: string;
}

export function modelMetricOf(row: StoredModelMetric): ReadMetric {
  return {
    key: row.key,
    value: valueOf(row.kind, row.value),
    timestamp: integerOf(row.timestamp),
    step: integerOf(row.step),
    modelId: row.model,
    runId: row.experiment,
    datasetName: row.dataset_name,
    datasetDigest: row.dataset_digest,
  };
}

/** Values of one model that a reply has, the newest; all of them are in their runs' histories. */
const shownPerModelMax = 10_000;

/** Reads metrics by model, in the order of key, time and step. */
export async function readModelMetrics(
  reader: Reader,
  modelIds: readonly string[],
): Promise<Map<string, ReadMetric[]>> {
  const rows = await reader.all<StoredModelMetric>(
    `SELECT ${columns.join(", ")} FROM (
       SELECT ${columns.join(", ")}, row_number() OVER (
         PARTITION BY model ORDER BY timestamp DESC, step DESC, key, id) AS place
       FROM logged_model_metric WHERE ${reader.isOneOf("model", "$1")}) AS placed
     WHERE place <= ${shownPerModelMax} ORDER BY model, key, timestamp, step, id`,
    JSON.stringify(modelIds),
  );
  const found = new Map<string, ReadMetric[]>();
  for (const row of rows) {
    const own = found.get(row.model);
    if (own === undefined) found.set(row.model, [modelMetricOf(row)]);
    else own.push(modelMetricOf(row));
  }
  return found;
}

const forgottenPerStep = 500;

/** Takes the next step of removing a run's metrics of models; 0: none is left. */
export async function forgetModelMetrics(
  transaction: Transaction,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
  ledger: Ledger,
): Promise<number> {
  const key = "model, key, timestamp, step, id";
  const rows = await transaction.all<CountedTexts>(
    `DELETE FROM logged_model_metric WHERE (${key}) IN (
       SELECT ${key} FROM logged_model_metric WHERE experiment = $1 LIMIT ${forgottenPerStep})
     RETURNING key, dataset_name, dataset_digest`,
    experimentId,
  );
  const bytes = rows.reduce((sum, row) => sum + modelMetricBytes(row), 0);
  if (bytes > 0) ledger.note(organizationId, { bytes: -bytes });
  return rows.length;
}
