import { chunksOf } from "./chunks.ts";
import { copyFiles } from "./copy-files.ts";
import { listIn, type Message, messageIn, type MlflowServer, textIn } from "./mlflow-server.ts";
import type { MlflowSource } from "./mlflow-source.ts";

/** Tag of an imported run: its id on the source server. */
export const originTag = "lossless.import.run";
/** Tag of a run that was imported completely; a run that goes on is copied again. */
export const completeTag = "lossless.import.complete";

export interface CopiedRun {
  /** Whether it has ended on the source server, so that it may be marked as complete. */
  hasEnded: boolean;
  points: number;
  files: number;
}

interface Copying {
  source: MlflowSource;
  target: MlflowServer;
  experimentId: string;
  /** Id of the run made by an interrupted import. */
  madeAs: string | undefined;
  withFiles: boolean;
}

/**
 * Copies a run of MLflow's. Everything is recognised when sent again, so an interrupted run is
 * simply copied anew. Returns its id here, and counts of what was sent.
 */
export async function copyRun(
  run: Message,
  copying: Copying,
): Promise<CopiedRun & { runId: string }> {
  const { source, target, experimentId, withFiles } = copying;
  const info = messageIn(run, "info");
  const data = messageIn(run, "data");
  const origin = textIn(info, "run_id");
  const runId = copying.madeAs ?? (await make(target, { experimentId, origin, info }));
  const params = listIn(data, "params");
  const tags = listIn(data, "tags").filter(({ key }) => key !== "mlflow.parentRunId");
  for (const some of chunksOf(params, 100))
    await target.post("runs/log-batch", { run_id: runId, params: some });
  for (const some of chunksOf(tags, 100))
    await target.post("runs/log-batch", { run_id: runId, tags: some });
  let points = 0;
  for (const { key } of listIn(data, "metrics"))
    points += await copyHistory(source, target, { origin, runId, key: String(key) });
  const datasets = listIn(messageIn(run, "inputs"), "dataset_inputs");
  for (const some of chunksOf(datasets, 1_000, inputsBytesMax))
    await target.post("runs/log-inputs", { run_id: runId, datasets: some });
  const owners = { from: { kind: "run", id: origin }, to: { kind: "run", id: runId } } as const;
  const folder = `${experimentId}/${runId}/artifacts`;
  const files = withFiles ? await copyFiles(source, target, { ...owners, folder }) : 0;
  const hasEnded = await end(target, runId, info);
  return { runId, hasEnded, points, files };
}

async function make(
  target: MlflowServer,
  { experimentId, origin, info }: { experimentId: string; origin: string; info: Message },
): Promise<string> {
  const made = await target.post(
    "runs/create",
    {
      experiment_id: experimentId,
      user_id: info["user_id"],
      run_name: info["run_name"],
      start_time: info["start_time"],
      tags: [{ key: originTag, value: origin }],
    },
    false,
  );
  return textIn(messageIn(messageIn(made, "run"), "info"), "run_id");
}

/** Ends the run here if it has ended there; otherwise the next import copies it again. */
async function end(target: MlflowServer, runId: string, info: Message): Promise<boolean> {
  const status = textIn(info, "status");
  if (status === "RUNNING" || status === "SCHEDULED") return false;
  await target.post("runs/update", { run_id: runId, status, end_time: info["end_time"] });
  return true;
}

/** Marks the run as completely imported. */
export async function completeRun(target: MlflowServer, runId: string): Promise<void> {
  await target.post("runs/set-tag", { run_id: runId, key: completeTag, value: "true" });
}

/** Bytes of inputs in one message, whose limit is 4 MiB. */
const inputsBytesMax = 4_000_000;
const historyPage = 25_000;
const batchMetrics = 1_000;

async function copyHistory(
  source: MlflowSource,
  target: MlflowServer,
  { origin, runId, key }: { origin: string; runId: string; key: string },
): Promise<number> {
  let points = 0;
  const query = { run_id: origin, metric_key: key, max_results: String(historyPage) };
  for await (const page of source.pages("metrics/get-history", query, "metrics")) {
    for (const metrics of chunksOf(page, batchMetrics))
      await target.post("runs/log-batch", { run_id: runId, metrics });
    points += page.length;
  }
  return points;
}
