import type { DatasetInput } from "../../experiments/mlflow/inputs.ts";
import type { Run } from "../../experiments/mlflow/read.ts";
import { writeOne } from "../../storage/storage.ts";
import { integer, invalid, list, message, missing, required, text } from "./message.ts";
import { answered, mlflow } from "./mlflow.ts";
import { withRegistered } from "./registered-source.ts";
import { checkDataset, checkModelId, checkRunId, tagCharactersMax } from "./words.ts";

const runId = { run_id: required(text) };
const dataset = {
  name: required(text),
  digest: required(text),
  source_type: text,
  source: text,
  schema: text,
  profile: text,
};
const datasetInput = {
  tags: list(message({ key: text, value: text })),
  dataset: required(message(dataset)),
};

export const inputs = mlflow({
  mlflowLogInputs: answered(
    {
      ...runId,
      datasets: list(message(datasetInput)),
      models: list(message({ model_id: required(text) })),
    },
    async ({ organizationId, message: given, served: { storage }, hosts }) => {
      checkRunId(given.run_id);
      const datasets = given.datasets.map(({ tags, dataset: about }): DatasetInput => {
        const { source_type: sourceType = "", source = "", name, digest } = about;
        const { schema = null, profile = null } = about;
        return {
          dataset: { name, digest, sourceType, source, schema, profile },
          tags: tags.map(({ key = "", value = "" }) => ({ key, value })),
        };
      });
      for (const input of datasets) checkDataset(input);
      const modelIds = given.models.map(({ model_id: id }) => id);
      for (const id of modelIds) checkModelId(id);
      const about = { datasets: await withRegistered(datasets, organizationId, storage), modelIds };
      const input = { organizationId, runId: given.run_id, ...about, hosts };
      await writeOne(storage, "run.inputs", input);
      return {};
    },
  ),

  mlflowLogModel: answered(
    { ...runId, model_json: required(text) },
    async ({ organizationId, message: given, served: { storage } }) => {
      const model = modelIn(given.model_json);
      const input = { organizationId, runId: given.run_id, model, charactersMax: tagCharactersMax };
      await writeOne(storage, "run.recordModel", input);
      return {};
    },
  ),

  mlflowSearchDatasets: answered(
    { experiment_ids: list(text) },
    async ({ organizationId, message: { experiment_ids: folderIds }, served: { storage } }) => {
      checkFolderCount(folderIds.length);
      const found = await storage.read("run.searchDatasets", { organizationId, folderIds });
      const summaries = found.map(({ folder, context, ...dataset }) => {
        return { experiment_id: folder, ...dataset, context: context ?? undefined };
      });
      return { dataset_summaries: summaries.length > 0 ? summaries : undefined };
    },
  ),

  mlflowLogOutputs: answered(
    { ...runId, models: list(message({ model_id: required(text), step: integer })) },
    async ({ organizationId, message: given, served: { storage } }) => {
      // Clients leave an empty list out.
      if (given.models.length === 0) throw missing("models");
      const models = given.models.map(({ model_id: modelId, step = 0n }) => ({ modelId, step }));
      for (const { modelId } of models) checkModelId(modelId);
      await writeOne(storage, "run.outputs", { organizationId, runId: given.run_id, models });
      return {};
    },
  ),
});

const modelFields = ["artifact_path", "flavors", "utc_time_created", "run_id"] as const;

/**
 * Returns the part of a model's description that MLflow keeps: not the configurations of its
 * flavors.
 */
function modelIn(json: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    parsed = undefined;
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw invalid(`Malformed model info. \n ${json} \n is not a valid JSON.`);
  const given = parsed as Record<string, unknown>;
  const absent = modelFields.filter((name) => !Object.hasOwn(given, name));
  if (absent.length > 0) {
    const names = absent.map((name) => `'${name}'`).join(", ");
    throw invalid(`Model json is missing mandatory fields: {${names}}`);
  }
  const kept = ["run_id", "artifact_path", "utc_time_created", "model_uuid"];
  const members = kept.flatMap((name) => (Object.hasOwn(given, name) ? [[name, given[name]]] : []));
  return { ...Object.fromEntries(members), flavors: withoutConfig(given["flavors"]) };
}

function withoutConfig(flavors: unknown): unknown {
  if (typeof flavors !== "object" || flavors === null) return flavors;
  const members = Object.entries(flavors).map(([name, flavor]: [string, unknown]) => {
    if (typeof flavor !== "object" || flavor === null) return [name, flavor];
    const { config: _, ...rest } = flavor as Record<string, unknown>;
    return [name, rest];
  });
  return Object.fromEntries(members);
}

const foldersPerSearchMax = 20;

function checkFolderCount(count: number): void {
  if (count === 0) throw invalid("SearchDatasets request must specify at least one experiment_id.");
  if (count <= foldersPerSearchMax) return;
  throw invalid(
    `SearchDatasets request cannot specify more than ${foldersPerSearchMax} experiment_ids. ` +
      `Received ${count} experiment_ids.`,
  );
}

export function inputsOf({ datasets, modelInputs }: Run["inputs"]): object {
  return {
    dataset_inputs:
      datasets.length > 0
        ? datasets.map(({ dataset: { sourceType, ...texts }, tags }) => ({
            tags: tags.length > 0 ? tags : undefined,
            dataset: {
              name: texts.name,
              digest: texts.digest,
              source_type: sourceType,
              source: texts.source,
              schema: texts.schema ?? undefined,
              profile: texts.profile ?? undefined,
            },
          }))
        : undefined,
    model_inputs: modelInputs.length > 0 ? modelInputs.map((id) => ({ model_id: id })) : undefined,
  };
}

export function outputsOf({ modelOutputs }: Run["inputs"]): object {
  const models = modelOutputs.map(({ modelId, step }) => ({ model_id: modelId, step }));
  return { model_outputs: models.length > 0 ? models : undefined };
}
