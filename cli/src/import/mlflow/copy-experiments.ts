import { inParallel } from "@lossless/client/in-parallel";
import { CommandError } from "../../command.ts";
import { copyModels, type ModelResult } from "./copy-models.ts";
import { completeRun, completeTag, copyRun, originTag } from "./copy-run.ts";
import { type LinkedRun, linksOf, type ModelLinks } from "./link-models.ts";
import { type ComparedRun, compareRun, differenceOf } from "./compare-run.ts";
import { listIn, type Message, messageIn, type MlflowServer, textIn } from "./mlflow-server.ts";
import type { MlflowSource } from "./mlflow-source.ts";

export interface CopyOptions {
  source: MlflowSource;
  target: MlflowServer;
  /** Names of the experiments to copy; undefined: all. */
  names: readonly string[] | undefined;
  withFiles: boolean;
  parallel: number;
  onRun: (copied: RunResult) => void;
  onModel: (copied: ModelResult) => void;
}

export interface CopyResults {
  runs: RunResult[];
  models: ModelResult[];
}

export interface RunResult {
  experiment: string;
  /** The run's id on the source server, and here. */
  from: string;
  runId?: string;
  points: number;
  files: number;
  /** Whether an earlier import copied it completely. */
  isKnown: boolean;
  /** The comparison with the source; missing for a known run, which was compared then. */
  compared?: ComparedRun;
  /** Why it was not copied, or not completely. */
  error?: string;
}

/** Copies all active experiments with their active runs and models. */
export async function copyExperiments(options: CopyOptions): Promise<CopyResults> {
  const { source, target, names, withFiles, parallel, onModel } = options;
  // Asked once without retries, so that a wrong address or key fails at once.
  for (const server of [source, target])
    await server.post("experiments/search", { max_results: 1 }, false);
  const found: Message[] = [];
  const search = { max_results: 1_000, view_type: "ACTIVE_ONLY" };
  for await (const one of source.search("experiments/search", search, "experiments"))
    if (names === undefined || names.includes(textIn(one, "name"))) found.push(one);
  const missing = names?.find((name) => !found.some((one) => one["name"] === name));
  if (missing !== undefined)
    throw new CommandError(`${source.url} has no experiment named ${missing}`);
  // Parents in another experiment are known only at the end.
  const children: [runId: string, parent: string][] = [];
  const runs: RunResult[] = [];
  const experiments: { from: string; experimentId: string }[] = [];
  const linked: LinkedRun[] = [];
  for (const experiment of found) {
    const copied = await copyExperiment(experiment, options, children);
    experiments.push(copied);
    runs.push(...copied.runs);
    linked.push(...copied.linked);
  }
  await adopt(target, children, runs);
  const runIds = new Map(
    runs.flatMap(({ from, runId }) => (runId === undefined ? [] : [[from, runId] as const])),
  );
  const failed = new Set(runs.flatMap(({ from, error }) => (error === undefined ? [] : [from])));
  const copying = { source, target, experiments, runIds, failed, linked };
  return { runs, models: await copyModels({ ...copying, withFiles, parallel, onModel }) };
}

interface CopiedExperiment {
  /** The experiment's id on the source server, and here. */
  from: string;
  experimentId: string;
  runs: RunResult[];
  /** Runs copied here that made or used models. */
  linked: LinkedRun[];
}

/** Copies an experiment and its runs. */
async function copyExperiment(
  experiment: Message,
  { source, target, withFiles, parallel, onRun }: CopyOptions,
  children: [runId: string, parent: string][],
): Promise<CopiedExperiment> {
  const name = textIn(experiment, "name");
  const experimentId = await experimentHere(target, experiment);
  const known = await importedRuns(target, experimentId);
  const runs: Message[] = [];
  const search = {
    experiment_ids: [experiment["experiment_id"]],
    max_results: 1_000,
    run_view_type: "ACTIVE_ONLY",
    order_by: ["attributes.start_time ASC"],
  };
  for await (const run of source.search("runs/search", search, "runs")) runs.push(run);
  const results: RunResult[] = [];
  const linked: LinkedRun[] = [];
  await inParallel(parallel, runs, async (run) => {
    const from = textIn(messageIn(run, "info"), "run_id");
    const before = known.get(from);
    const result: RunResult = { experiment: name, from, points: 0, files: 0, isKnown: false };
    if (before !== undefined) result.runId = before.runId;
    let there = linksOf(run);
    let isHeld = false;
    try {
      if (before?.isComplete) result.isKnown = true;
      else {
        // MLflow's search leaves out the models that a run used.
        const whole = await source.get("runs/get", { run_id: from });
        there = linksOf(messageIn(whole, "run"));
        const copying = { source, target, experimentId, madeAs: before?.runId, withFiles };
        const { hasEnded, ...copied } = await copyRun(run, copying);
        Object.assign(result, copied);
        result.compared = await compareRun(source, target, run, copied.runId);
        const difference = differenceOf(result.compared);
        // A run that goes on is compared again by the next import.
        if (difference !== undefined && hasEnded) throw new CommandError(difference);
        // Once marked complete, the models that it used are not read again.
        isHeld = hasEnded && there !== undefined && there.used.length > 0;
        if (hasEnded && !isHeld) await completeRun(target, copied.runId);
        const parent = parentOf(run);
        if (parent !== undefined) children.push([result.runId!, parent]);
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      result.error = error.message;
    }
    const { runId } = result;
    const onLinked = () =>
      completeRun(target, runId!).catch((error: unknown) => {
        if (!(error instanceof CommandError)) throw error;
        result.error = error.message;
        onRun(result);
      });
    if (runId !== undefined && there !== undefined)
      linked.push({ runId, there, here: before?.links, ...(isHeld && { onLinked }) });
    results.push(result);
    onRun(result);
  });
  return { from: textIn(experiment, "experiment_id"), experimentId, runs: results, linked };
}

function parentOf(run: Message): string | undefined {
  const tags = listIn(messageIn(run, "data"), "tags");
  const found = tags.find(({ key }) => key === "mlflow.parentRunId");
  return found === undefined ? undefined : textIn(found, "value");
}

/**
 * Returns the experiment of that name here, made if missing, with its tags; `Default` is the root.
 */
async function experimentHere(target: MlflowServer, experiment: Message): Promise<string> {
  const name = textIn(experiment, "name");
  const found = await target.find("experiments/get-by-name", { experiment_name: name });
  const tags = listIn(experiment, "tags");
  if (found !== undefined) {
    const here = messageIn(found, "experiment");
    const experimentId = textIn(here, "experiment_id");
    const known = new Map(listIn(here, "tags").map(({ key, value }) => [key, value]));
    for (const { key, value } of tags)
      if (known.get(key) !== value)
        await target.post("experiments/set-experiment-tag", {
          experiment_id: experimentId,
          key,
          value,
        });
    return experimentId;
  }
  const made = await target.post("experiments/create", { name, tags }, false);
  return textIn(made, "experiment_id");
}

interface KnownRun {
  runId: string;
  isComplete: boolean;
  links: ModelLinks | undefined;
}

/** Runs of earlier imports, by their ids on the source server. */
async function importedRuns(
  target: MlflowServer,
  experimentId: string,
): Promise<Map<string, KnownRun>> {
  const search = {
    experiment_ids: [experimentId],
    max_results: 1_000,
    run_view_type: "ALL",
    filter: `tags.\`${originTag}\` != ''`,
  };
  const known = new Map<string, KnownRun>();
  for await (const run of target.search("runs/search", search, "runs")) {
    const listed = listIn(messageIn(run, "data"), "tags");
    const tags = new Map(listed.map((tag) => [textIn(tag, "key"), textIn(tag, "value")]));
    const runId = textIn(messageIn(run, "info"), "run_id");
    const isComplete = tags.has(completeTag);
    known.set(tags.get(originTag)!, { runId, isComplete, links: linksOf(run) });
  }
  return known;
}

/** Sets the parents by their ids here. A parent that was not imported keeps its old id. */
async function adopt(
  target: MlflowServer,
  children: readonly (readonly [runId: string, parent: string])[],
  results: readonly RunResult[],
): Promise<void> {
  const ids = new Map(results.map(({ from, runId }) => [from, runId]));
  for (const [runId, parent] of children) {
    const value = ids.get(parent) ?? parent;
    await target.post("runs/set-tag", { run_id: runId, key: "mlflow.parentRunId", value });
  }
}
