import type { ReadMetric } from "../../experiments/mlflow/models/metrics.ts";
import type { LoggedModel } from "../../experiments/mlflow/models/read.ts";
import { writeOne } from "../../storage/storage.ts";
import { list, message, oneOf, required, text } from "./message.ts";
import { answered, mlflow } from "./mlflow.ts";
import { checkModel, checkModelPair, type Pair } from "./words.ts";

const pairs = list(message({ key: text, value: text }));

const statuses = {
  LOGGED_MODEL_STATUS_UNSPECIFIED: 0,
  LOGGED_MODEL_PENDING: 1,
  LOGGED_MODEL_READY: 2,
  LOGGED_MODEL_UPLOAD_FAILED: 3,
} as const;
const statusNames = Object.keys(statuses);

export const models = mlflow({
  mlflowCreateModel: answered(
    {
      experiment_id: required(text),
      name: text,
      model_type: text,
      source_run_id: text,
      params: pairs,
      tags: pairs,
    },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { name = "", model_type: modelType = "", source_run_id: sourceRun = "" } = given;
      checkModel({ name, modelType, sourceRun });
      const { modelId } = await writeOne(storage, "model.create", {
        organizationId,
        folderId: given.experiment_id,
        name: name === "" ? undefined : name,
        modelType,
        sourceRun,
        params: checkedPairs(given.params, "params"),
        tags: checkedPairs(given.tags, "tags"),
      });
      const asked = { organizationId, modelId, isDeletedToo: false };
      return { model: modelOf(await storage.read("model.read", asked)) };
    },
  ),

  mlflowGetModel: answered(
    { allow_deleted: text },
    async ({ organizationId, params, message: given, served: { storage } }) => {
      const isDeletedToo = given.allow_deleted?.toLowerCase() === "true";
      const asked = { organizationId, modelId: params.modelId, isDeletedToo };
      return { model: modelOf(await storage.read("model.read", asked)) };
    },
  ),

  mlflowFinalizeModel: answered(
    { status: required(oneOf(statuses)) },
    async ({ organizationId, params: { modelId }, message: given, served: { storage } }) => {
      const input = { organizationId, modelId, status: statuses[given.status] };
      await writeOne(storage, "model.finalize", input);
      const asked = { organizationId, modelId, isDeletedToo: true };
      return { model: modelOf(await storage.read("model.read", asked)) };
    },
  ),

  mlflowDeleteModel: answered(
    {},
    async ({ organizationId, params: { modelId }, served: { storage } }) => {
      await writeOne(storage, "model.delete", { organizationId, modelId });
      return {};
    },
  ),

  mlflowLogModelParams: answered(
    { params: pairs },
    async ({ organizationId, params: { modelId }, message: given, served: { storage } }) => {
      const params = checkedPairs(given.params, "params");
      await writeOne(storage, "model.describe", { organizationId, modelId, params, tags: [] });
      return {};
    },
  ),

  mlflowSetModelTags: answered(
    { tags: pairs },
    async ({ organizationId, params: { modelId }, message: given, served: { storage } }) => {
      const tags = checkedPairs(given.tags, "tags");
      await writeOne(storage, "model.describe", { organizationId, modelId, params: [], tags });
      return {};
    },
  ),

  mlflowDeleteModelTag: answered(
    {},
    async ({ organizationId, params: { modelId, tagKey: key }, served: { storage } }) => {
      await writeOne(storage, "model.deleteTag", { organizationId, modelId, key });
      return {};
    },
  ),
});

function checkedPairs(
  given: readonly { key: string | undefined; value: string | undefined }[],
  path: string,
): Pair[] {
  const found = given.map(({ key = "", value = "" }) => ({ key, value }));
  for (const [at, pair] of found.entries()) checkModelPair(pair, `${path}[${at}]`);
  return found;
}

export function modelOf(model: LoggedModel): object {
  const { params, tags, metrics } = model;
  return {
    info: {
      model_id: model.id,
      experiment_id: model.folderId,
      name: model.name,
      creation_timestamp_ms: model.createdAtMs,
      last_updated_timestamp_ms: model.updatedAtMs,
      artifact_uri: model.artifactUri,
      status: statusNames[model.status],
      model_type: model.modelType,
      source_run_id: model.sourceRun,
      tags: tags.length > 0 ? tags : undefined,
    },
    data: {
      params: params.length > 0 ? params : undefined,
      metrics: metrics.length > 0 ? metrics.map(metricOf) : undefined,
    },
  };
}

function metricOf(metric: ReadMetric): object {
  const { key, value, timestamp, step, modelId, runId, datasetName, datasetDigest } = metric;
  const dataset = {
    dataset_name: datasetName ?? undefined,
    dataset_digest: datasetDigest ?? undefined,
  };
  return { key, value, timestamp, step, ...dataset, model_id: modelId, run_id: runId };
}
