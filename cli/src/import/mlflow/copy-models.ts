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
  /** Experiments there, and here. */
  experiments: readonly { from: string; experimentId: string }[];
  /** Runs here by those there, and runs there that could not be copied this time. */
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
  /** Those that it has, as `metricText` writes them. */
  metrics: ReadonlySet<string>;
}

/**
 * Copies the logged models of experiments whose runs are here: what they are, their files, their
 * metrics, and which runs made or used them, of whichever experiment. Everything is recognised when
 * it is sent again.
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

/** A refusal is told of the one model, and the others go on. */
async function told(result: ModelResult, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    result.error = error.message;
  }
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

/** Models that imports before have made, by their ids on the other server. */
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

/** What comes for one that is here with its files: runs may measure it at any time. */
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
  // Which run made it is said once and for all.
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

/** Whether nothing of it can come later but metrics. */
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
 * They are values of runs, which name the model. Those of runs that are not here are left out, and
 * those that the model here has. Gives how many were sent.
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

/** By what MLflow tells metrics of a model apart. */
function metricText(metric: Message, runId: string): string {
  const numbers = [textIn(metric, "step") || "0", textIn(metric, "timestamp") || "0"];
  return JSON.stringify([textIn(metric, "key"), ...numbers, runId]);
}

/** That all of it was there when it was imported. */
async function complete(target: MlflowServer, modelId: string): Promise<void> {
  const tags = [{ key: completeTag, value: "true" }];
  await target.ask("PATCH", `logged-models/${modelId}/tags`, { tags });
}
