import type { Reader } from "../../database/database.ts";
import type { Tag } from "./change-folder.ts";
import type { Dataset, DatasetInput, ModelOutput } from "./inputs.ts";
import { integerOf } from "./metric.ts";

/** Inputs and outputs of a run, each in the order in which they were recorded. */
export interface RunInputs {
  datasets: DatasetInput[];
  modelInputs: string[];
  modelOutputs: ModelOutput[];
}

/** Reads inputs and outputs by run. */
export async function readInputs(
  reader: Reader,
  runIds: readonly string[],
): Promise<Map<string, RunInputs>> {
  const found = new Map<string, RunInputs>(
    runIds.map((id) => [id, { datasets: [], modelInputs: [], modelOutputs: [] }]),
  );
  if (runIds.length === 0) return found;
  const ids = JSON.stringify(runIds);
  const links = await reader.all<{ experiment: string; dataset: string; tags: string }>(
    `SELECT experiment, dataset, tags FROM run_input
     WHERE ${reader.isOneOf("experiment", "$1")} ORDER BY experiment, number`,
    ids,
  );
  const datasets = await readDatasets(
    reader,
    links.map(({ dataset }) => dataset),
  );
  for (const { experiment, dataset, tags } of links) {
    const input = { dataset: datasets.get(dataset)!, tags: JSON.parse(tags) as Tag[] };
    found.get(experiment)!.datasets.push(input);
  }
  const models = await reader.all<{
    experiment: string;
    direction: number;
    model: string;
    step: string;
  }>(
    `SELECT experiment, direction, model, step FROM run_model
     WHERE ${reader.isOneOf("experiment", "$1")} ORDER BY experiment, number`,
    ids,
  );
  for (const { experiment, direction, model: modelId, step } of models) {
    const { modelInputs, modelOutputs } = found.get(experiment)!;
    if (direction === 0) modelInputs.push(modelId);
    else modelOutputs.push({ modelId, step: integerOf(step) });
  }
  return found;
}

/** Reads data sets by id. Runs that read the same data set share its object. */
async function readDatasets(reader: Reader, ids: readonly string[]): Promise<Map<string, Dataset>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.all<Omit<Dataset, "sourceType"> & { id: string; source_type: string }>(
    `SELECT id, name, digest, source_type, source, schema, profile FROM dataset
     WHERE ${reader.isOneOf("id", "$1")}`,
    JSON.stringify([...new Set(ids)]),
  );
  return new Map(
    rows.map(({ id, source_type: sourceType, ...texts }) => [id, { sourceType, ...texts }]),
  );
}
