import { CommandError } from "../../command.ts";
import { chunksOf } from "./chunks.ts";
import { copyFiles } from "./copy-files.ts";
import { completeTag } from "./copy-run.ts";
import {
  listIn,
  type Message,
  messageIn,
  MlflowError,
  type MlflowServer,
  textIn,
} from "./mlflow-server.ts";

/** From which model of the other server a logged model was imported. */
const originTag = "lossless.import.model";

export interface ModelResult {
  /** The model of the other server, and here. */
  from: string;
  modelId?: string;
  files: number;
  /** Whether an import before had all of it. */
  isKnown: boolean;
  /** Why it is not here, or not whole. */
  error?: string;
}

interface Copying {
  source: MlflowServer;
  target: MlflowServer;
  /** The experiment there, and here. */
  from: string;
  experimentId: string;
  /** Its runs there, as a search gives them, and their ids here. */
  runs: readonly Message[];
  runIds: ReadonlyMap<string, string>;
  withFiles: boolean;
  onModel: (result: ModelResult) => void;
}

/**
 * Copies the logged models of an experiment whose runs are here: what they are, their files, their
 * metrics, and which runs made or used them. Everything is recognised when it is sent again.
 */
export async function copyModels(copying: Copying): Promise<ModelResult[]> {
  const { source, target, from, experimentId, onModel } = copying;
  const models = await modelsOf(source, from);
  if (models.length === 0) return [];
  const known = new Map<string, { modelId: string; isComplete: boolean }>();
  for (const model of await modelsOf(target, experimentId)) {
    const info = messageIn(model, "info");
    const tags = new Map(
      listIn(info, "tags").map((tag) => [textIn(tag, "key"), textIn(tag, "value")]),
    );
    const origin = tags.get(originTag);
    const modelId = textIn(info, "model_id");
    if (origin !== undefined) known.set(origin, { modelId, isComplete: tags.has(completeTag) });
  }
  const results: ModelResult[] = [];
  for (const model of models) {
    const origin = textIn(messageIn(model, "info"), "model_id");
    const before = known.get(origin);
    const result: ModelResult = { from: origin, files: 0, isKnown: false };
    try {
      if (before?.isComplete) Object.assign(result, { modelId: before.modelId, isKnown: true });
      else Object.assign(result, await copyModel(model, before?.modelId, copying));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      result.error = error.message;
    }
    results.push(result);
    onModel(result);
  }
  await link(copying, new Map(results.map(({ from: id, modelId }) => [id, modelId])));
  for (const { modelId, isKnown, error } of results)
    if (modelId !== undefined && !isKnown && error === undefined) await complete(target, modelId);
  return results;
}

/** None of a server that is older than logged models. */
async function modelsOf(server: MlflowServer, experimentId: string): Promise<Message[]> {
  const search = { experiment_ids: [experimentId], max_results: 50 };
  const found: Message[] = [];
  try {
    for await (const one of server.search("logged-models/search", search, "models"))
      found.push(one);
  } catch (error) {
    if (error instanceof MlflowError && error.status === 404) return [];
    throw error;
  }
  return found;
}

async function copyModel(
  model: Message,
  madeAs: string | undefined,
  { source, target, experimentId, runIds, withFiles }: Copying,
): Promise<Pick<ModelResult, "modelId" | "files">> {
  const info = messageIn(model, "info");
  const data = messageIn(model, "data");
  const origin = textIn(info, "model_id");
  const sourceRun = textIn(info, "source_run_id");
  const modelId =
    madeAs ??
    (await make(target, {
      experiment_id: experimentId,
      name: info["name"],
      model_type: info["model_type"],
      source_run_id: runIds.get(sourceRun) ?? sourceRun,
      tags: [{ key: originTag, value: origin }],
    }));
  for (const params of chunksOf(listIn(data, "params"), 100))
    await target.post(`logged-models/${modelId}/params`, { params });
  for (const tags of chunksOf(listIn(info, "tags"), 100))
    await target.ask("PATCH", `logged-models/${modelId}/tags`, { tags });
  await copyMetrics(target, modelId, listIn(data, "metrics"), runIds);
  const owners = {
    from: { kind: "model", id: origin },
    to: { kind: "model", id: modelId },
  } as const;
  const folder = `${experimentId}/models/${modelId}/artifacts`;
  const files = withFiles ? await copyFiles(source, target, { ...owners, folder }) : 0;
  const status = textIn(info, "status");
  if (/READY|FAILED/.test(status))
    await target.ask("PATCH", `logged-models/${modelId}`, { status });
  return { modelId, files };
}

async function make(target: MlflowServer, message: Message): Promise<string> {
  const made = await target.post("logged-models", message, false);
  return textIn(messageIn(messageIn(made, "model"), "info"), "model_id");
}

/** They are values of runs, which name the model. Those of runs that are not here are left out. */
async function copyMetrics(
  target: MlflowServer,
  modelId: string,
  metrics: readonly Message[],
  runIds: ReadonlyMap<string, string>,
): Promise<void> {
  const byRun = Map.groupBy(metrics, (metric) => runIds.get(textIn(metric, "run_id")));
  for (const [runId, some] of byRun) {
    if (runId === undefined) continue;
    const own = some.map((metric) => ({ ...metric, run_id: undefined, model_id: modelId }));
    for (const chunk of chunksOf(own, 1_000))
      await target.post("runs/log-batch", { run_id: runId, metrics: chunk });
  }
}

/** Says of the runs here which models they made and used. */
async function link(
  { target, runs, runIds }: Copying,
  modelIds: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const here = (models: readonly Message[]) =>
    models.flatMap(({ model_id: id, ...rest }) => {
      const modelId = modelIds.get(String(id));
      return modelId === undefined ? [] : [{ model_id: modelId, ...rest }];
    });
  for (const run of runs) {
    const runId = runIds.get(textIn(messageIn(run, "info"), "run_id"));
    if (runId === undefined) continue;
    const made = here(listIn(messageIn(run, "outputs"), "model_outputs"));
    if (made.length > 0) await target.post("runs/outputs", { run_id: runId, models: made });
    const used = here(listIn(messageIn(run, "inputs"), "model_inputs"));
    if (used.length > 0) await target.post("runs/log-inputs", { run_id: runId, models: used });
  }
}

/** That all of it was there when it was imported. */
async function complete(target: MlflowServer, modelId: string): Promise<void> {
  const tags = [{ key: completeTag, value: "true" }];
  await target.ask("PATCH", `logged-models/${modelId}/tags`, { tags });
}
