import type { DatasetInput } from "../../runs/inputs.ts";
import type { Run } from "../../runs/read.ts";
import { writeOne } from "../../storage/storage.ts";
import { integer, list, message, missing, required, text } from "./message.ts";
import { answered, mlflow } from "./mlflow.ts";
import { checkDataset, checkModelId, checkRunId } from "./words.ts";

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
    async ({ organizationId, message: given, served: { storage } }) => {
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
      const input = { organizationId, runId: given.run_id, datasets, modelIds };
      await writeOne(storage, "run.inputs", input);
      return {};
    },
  ),

  mlflowLogOutputs: answered(
    { ...runId, models: list(message({ model_id: required(text), step: integer })) },
    async ({ organizationId, message: given, served: { storage } }) => {
      // A client leaves an empty list out.
      if (given.models.length === 0) throw missing("models");
      const models = given.models.map(({ model_id: modelId, step = 0n }) => ({ modelId, step }));
      for (const { modelId } of models) checkModelId(modelId);
      await writeOne(storage, "run.outputs", { organizationId, runId: given.run_id, models });
      return {};
    },
  ),
});

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
