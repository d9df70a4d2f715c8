import { contentId, isRegular, latestOf, type RunMetric } from "../../experiments/mlflow/metric.ts";
import type { ModelMetric } from "../../experiments/mlflow/models/metrics.ts";
import { writeOne } from "../../storage/storage.ts";
import { PointBatchBuilder } from "../../wire/point-batch-builder.ts";
import type { OpenService } from "../service-state.ts";
import { double, integer, list, message, required, text } from "./message.ts";
import { answered, mlflow } from "./mlflow.ts";
import {
  checkBatch,
  checkBatchBytes,
  checkMetric,
  checkMetricDataset,
  checkMetrics,
  checkParam,
  checkParamKeysUnique,
  checkRunId,
  checkTag,
  type Pair,
} from "./words.ts";

const runId = { run_id: required(text) };
const metric = {
  key: required(text),
  value: required(double),
  timestamp: required(integer),
  step: integer,
  model_id: text,
  dataset_name: text,
  dataset_digest: text,
};
const pair = { key: required(text), value: text };

export const logging = mlflow({
  mlflowLogMetric: answered(
    { ...runId, ...metric },
    async ({ organizationId, message: { run_id: id, ...given }, served }) => {
      const logged = metricOf(given);
      checkMetric(logged);
      const modelMetrics = modelMetricsOf([given]);
      const metrics = { metrics: [logged], modelMetrics };
      await log(served, { organizationId, runId: id, ...metrics, params: [], tags: [] });
      return {};
    },
  ),

  mlflowLogParam: answered(
    { ...runId, ...pair },
    async ({ organizationId, message: { run_id: id, ...given }, served }) => {
      const param = pairOf(given);
      checkParam(param);
      const metrics = { metrics: [], modelMetrics: [] };
      await log(served, { organizationId, runId: id, ...metrics, params: [param], tags: [] });
      return {};
    },
  ),

  mlflowLogBatch: answered(
    {
      ...runId,
      metrics: list(message(metric)),
      params: list(message(pair)),
      tags: list(message(pair)),
    },
    async ({ organizationId, message: { run_id: id, ...given }, sizeBytes, served }) => {
      checkBatchBytes(sizeBytes);
      checkRunId(id);
      const metrics = given.metrics.map(metricOf);
      const params = given.params.map(pairOf);
      const tags = given.tags.map(pairOf);
      checkMetrics(metrics);
      for (const [at, one] of params.entries()) checkParam(one, `params[${at}]`);
      for (const [at, one] of tags.entries()) checkTag(one, `tags[${at}]`);
      checkBatch(metrics.length, params.length, tags.length);
      checkParamKeysUnique(params);
      const modelMetrics = modelMetricsOf(given.metrics);
      await log(served, { organizationId, runId: id, metrics, modelMetrics, params, tags });
      return {};
    },
  ),
});

interface Logged {
  organizationId: string;
  runId: string;
  metrics: RunMetric[];
  modelMetrics: ModelMetric[];
  params: Pair[];
  tags: Pair[];
}

/**
 * Logs by one call of the storage; metrics that the series engine can hold go with it as points.
 */
async function log(
  { storage, hasher }: OpenService,
  { metrics, ...logged }: Logged,
): Promise<void> {
  const { regular = [], irregular = [] } = Object.groupBy(metrics, (one) =>
    isRegular(one) ? "regular" : "irregular",
  );
  const builder = new PointBatchBuilder(regular.length, hasher);
  for (const one of regular) {
    builder.add(contentId(one), {
      experimentId: logged.runId,
      metricName: one.key,
      metricValue: one.value,
      step: Number(one.step),
      timestampMs: Number(one.timestamp),
      meta: "{}",
    });
  }
  const recorded = { experimentId: logged.runId, points: builder.finish() };
  const input = { ...logged, latest: [...latestOf(metrics).values()], irregular };
  await writeOne(storage, "run.log", input, metrics.length > 0 ? recorded : undefined);
}

interface GivenMetric {
  key: string;
  value: number;
  timestamp: bigint;
  step: bigint | undefined;
  model_id: string | undefined;
  dataset_name: string | undefined;
  dataset_digest: string | undefined;
}

/** Returns a metric; -0 is stored as 0, as everywhere. */
function metricOf({ key, value, timestamp, step = 0n }: GivenMetric): RunMetric {
  return { key, value: value + 0, timestamp, step };
}

function modelMetricsOf(given: readonly GivenMetric[]): ModelMetric[] {
  if (given.every(({ model_id: modelId }) => modelId === undefined)) return [];
  return given.flatMap((one, at) => {
    const { model_id: modelId = "", dataset_name: name = "", dataset_digest: digest = "" } = one;
    if (modelId === "") return [];
    const path = given.length === 1 ? "" : `metrics[${at}]`;
    checkMetricDataset(name, digest, path);
    // Empty means not given.
    const dataset = { datasetName: name || null, datasetDigest: digest || null };
    return [{ ...metricOf(one), modelId, ...dataset }];
  });
}

function pairOf({ key, value = "" }: { key: string; value: string | undefined }): Pair {
  return { key, value };
}
