import { inParallel } from "@lossless/client/in-parallel";
import { CommandError } from "../../command.ts";
import { chunksOf } from "./chunks.ts";
import { copyFiles } from "./copy-files.ts";
import { completeTag } from "./copy-run.ts";
import { type LinkedRun, linkModels } from "./link-models.ts";
import {
  listIn,
  type Message,
  messageIn,
  MlflowError,
  type MlflowServer,
  textIn,
} from "./mlflow-server.ts";
import type { MlflowSource } from "./mlflow-source.ts";

/** Tag of an imported model: its id on the source server. */
const originTag = "lossless.import.model";

export interface ModelResult {
  /** The model's id on the source server, and here. */
  from: string;
  modelId?: string;
  files: number;
  /** Whether an earlier import copied it completely. */
  isKnown: boolean;
  /** Why it was not copied, or not completely. */
  error?: string;
}

interface Copying {
  source: MlflowSource;
  target: MlflowServer;
  /** Ids of the experiments on the source server, and here. */
  experiments: readonly { from: string; experimentId: string }[];
  /** Ids of runs here by those on the source server, and source runs that could not be copied. */
  runIds: ReadonlyMap<string, string>;
  failed: ReadonlySet<string>;
  linked: readonly LinkedRun[];
  withFiles: boolean;
  parallel: number;
  onModel: (result: ModelResult) => void;
}

interface KnownModel {
  modelId: string;
  isComplete: boolean;
  /** Its metrics here, as `metricText` writes them. */
  metrics: ReadonlySet<string>;
}

/**
 * Copies the logged models of experiments whose runs were copied: the models, their files, their
 * metrics, and the runs of any experiment that made or used them. Everything is recognised when
 * sent again.
 */
export async function copyModels(copying: Copying): Promise<ModelResult[]> {
  const { source, target, experiments, linked, parallel, onModel } = copying;
  const results = new Map<string, ModelResult>();
  const whole: ModelResult[] = [];
  for (const { from, experimentId } of experiments) {
    const models = await modelsOf(source, from);
    if (models.length === 0) continue;
    const known = await importedModels(target, experimentId);
    await inParallel(parallel, models, async (model) => {
      const origin = textIn(messageIn(model, "info"), "model_id");
      const result: ModelResult = { from: origin, files: 0, isKnown: false };
      await told(result, async () => {
        const before = known.get(origin);
        if (before?.isComplete) await follow(model, before, copying, result);
        else {
          await copyModel(model, before, { ...copying, experimentId }, result);
          if (isWhole(model, copying)) whole.push(result);
        }
      });
      results.set(origin, result);
      onModel(result);
    });
  }
  const modelIds = new Map([...results].map(([from, { modelId }]) => [from, modelId]));
  const onRefused = (models: readonly string[], { message }: CommandError): void => {
    for (const origin of models) {
      const result = results.get(origin)!;
      Object.assign(result, { isKnown: false, error: message });
      onModel(result);
    }
  };
  await linkModels({ target, runs: linked, modelIds, parallel, onRefused });
  const marked = whole.filter(({ error }) => error === undefined);
  await inParallel(parallel, marked, (result) =>
    told(result, () => complete(target, result.modelId!)),
  );
  return [...results.values()];
}

/** Runs the work for one model; a refusal becomes its error, and the others go on. */
async function told(result: ModelResult, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    result.error = error.message;
  }
}

/** Returns a server's models; none where it predates logged models. */
async function modelsOf(server: MlflowSource, experimentId: string): Promise<Message[]> {
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

/** Models of earlier imports, by their ids on the source server. */
async function importedModels(
  target: MlflowServer,
  experimentId: string,
): Promise<Map<string, KnownModel>> {
  const known = new Map<string, KnownModel>();
  for (const model of await modelsOf(target, experimentId)) {
    const info = messageIn(model, "info");
    const tags = new Map(
      listIn(info, "tags").map((tag) => [textIn(tag, "key"), textIn(tag, "value")]),
    );
    const origin = tags.get(originTag);
    if (origin === undefined) continue;
    const listed = listIn(messageIn(model, "data"), "metrics");
    known.set(origin, {
      modelId: textIn(info, "model_id"),
      isComplete: tags.has(completeTag),
      metrics: new Set(listed.map((metric) => metricText(metric, textIn(metric, "run_id")))),
    });
  }
  return known;
}

/** Adds new metrics to a complete model: runs may measure it at any time. */
async function follow(
  model: Message,
  before: KnownModel,
  copying: Copying,
  result: ModelResult,
): Promise<void> {
  result.modelId = before.modelId;
  result.isKnown = (await copyMetrics(model, before, copying)) === 0;
}

async function copyModel(
  model: Message,
  before: KnownModel | undefined,
  copying: Copying & { experimentId: string },
  result: ModelResult,
): Promise<void> {
  const { source, target, experimentId, runIds, failed, withFiles } = copying;
  const info = messageIn(model, "info");
  const origin = textIn(info, "model_id");
  const sourceRun = textIn(info, "source_run_id");
  // The run that made a model cannot be set later.
  if (before === undefined && failed.has(sourceRun) && !runIds.has(sourceRun))
    throw new CommandError(`the run that made it, ${sourceRun}, could not be copied`);
  const modelId =
    before?.modelId ??
    (await make(target, {
      experiment_id: experimentId,
      name: info["name"],
      model_type: info["model_type"],
      source_run_id: runIds.get(sourceRun) ?? sourceRun,
      tags: [{ key: originTag, value: origin }],
    }));
  result.modelId = modelId;
  for (const params of chunksOf(listIn(messageIn(model, "data"), "params"), 100))
    await target.post(`logged-models/${modelId}/params`, { params });
  for (const tags of chunksOf(listIn(info, "tags"), 100))
    await target.ask("PATCH", `logged-models/${modelId}/tags`, { tags });
  await copyMetrics(model, before ?? { modelId, metrics: new Set() }, copying);
  const owners = {
    from: { kind: "model", id: origin },
    to: { kind: "model", id: modelId },
  } as const;
  const folder = `${experimentId}/models/${modelId}/artifacts`;
  if (withFiles) result.files = await copyFiles(source, target, { ...owners, folder });
  if (isFinal(model))
    await target.ask("PATCH", `logged-models/${modelId}`, { status: info["status"] });
}

/** Whether everything but later metrics is copied. */
function isWhole(model: Message, { failed, withFiles }: Copying): boolean {
  const metrics = listIn(messageIn(model, "data"), "metrics");
  const runs = [textIn(messageIn(model, "info"), "source_run_id")];
  for (const metric of metrics) runs.push(textIn(metric, "run_id"));
  return withFiles && isFinal(model) && !runs.some((run) => failed.has(run));
}

function isFinal(model: Message): boolean {
  return /READY|FAILED/.test(textIn(messageIn(model, "info"), "status"));
}

async function make(target: MlflowServer, message: Message): Promise<string> {
  const made = await target.post("logged-models", message, false);
  return textIn(messageIn(messageIn(made, "model"), "info"), "model_id");
}

/**
 * Copies the metrics of a model, which are values of runs that name it. Skips those of runs that
 * were not copied, and those that the model here has. Returns the number sent.
 */
async function copyMetrics(
  model: Message,
  { modelId, metrics: known }: Pick<KnownModel, "modelId" | "metrics">,
  { target, runIds }: Copying,
): Promise<number> {
  const metrics = listIn(messageIn(model, "data"), "metrics");
  const byRun = Map.groupBy(metrics, (metric) => runIds.get(textIn(metric, "run_id")));
  let sent = 0;
  for (const [runId, some] of byRun) {
    if (runId === undefined) continue;
    const own = some
      .filter((metric) => !known.has(metricText(metric, runId)))
      .map((metric) => ({ ...metric, run_id: undefined, model_id: modelId }));
    for (const chunk of chunksOf(own, 1_000))
      await target.post("runs/log-batch", { run_id: runId, metrics: chunk });
    sent += own.length;
  }
  return sent;
}

/** The identity of a model's metric in MLflow. */
function metricText(metric: Message, runId: string): string {
  const numbers = [textIn(metric, "step") || "0", textIn(metric, "timestamp") || "0"];
  return JSON.stringify([textIn(metric, "key"), ...numbers, runId]);
}

/** Marks the model as completely imported. */
async function complete(target: MlflowServer, modelId: string): Promise<void> {
  const tags = [{ key: completeTag, value: "true" }];
  await target.ask("PATCH", `logged-models/${modelId}/tags`, { tags });
}
