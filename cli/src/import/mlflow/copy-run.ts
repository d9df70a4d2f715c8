import { listIn, type Message, messageIn, type MlflowServer, textIn } from "./mlflow-server.ts";

/** From which run of the other server a run was imported. */
export const originTag = "lossless.import.run";
/** That all of it was there when it was imported; a run that goes on is looked at again. */
export const completeTag = "lossless.import.complete";

export interface CopiedRun {
  points: number;
  files: number;
}

interface Copying {
  source: MlflowServer;
  target: MlflowServer;
  experimentId: string;
  /** Where an import that was stopped had made it. */
  madeAs: string | undefined;
  withFiles: boolean;
}

/**
 * Copies a run of MLflow's. Everything in it is recognised when it is sent again, so a run whose
 * import was stopped is copied once more. Gives its id here, and what was sent.
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
  for (const some of chunks(params, 100))
    await target.post("runs/log-batch", { run_id: runId, params: some });
  for (const some of chunks(tags, 100))
    await target.post("runs/log-batch", { run_id: runId, tags: some });
  let points = 0;
  for (const { key } of listIn(data, "metrics"))
    points += await copyHistory(source, target, { origin, runId, key: String(key) });
  const datasets = listIn(messageIn(run, "inputs"), "dataset_inputs");
  if (datasets.length > 0) await target.post("runs/log-inputs", { run_id: runId, datasets });
  const folder = `${experimentId}/${runId}/artifacts`;
  const files = withFiles
    ? await copyFiles(source, target, { origin, runId, folder, path: "" })
    : 0;
  await end(target, runId, info);
  return { runId, points, files };
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

/** A run that still goes on there is not ended here, and is copied again the next time. */
async function end(target: MlflowServer, runId: string, info: Message): Promise<void> {
  const status = textIn(info, "status");
  if (status === "RUNNING" || status === "SCHEDULED") return;
  await target.post("runs/update", { run_id: runId, status, end_time: info["end_time"] });
  await target.post("runs/set-tag", { run_id: runId, key: completeTag, value: "true" });
}

const historyPage = 25_000;
const batchMetrics = 1_000;

async function copyHistory(
  source: MlflowServer,
  target: MlflowServer,
  { origin, runId, key }: { origin: string; runId: string; key: string },
): Promise<number> {
  let points = 0;
  const query = { run_id: origin, metric_key: key, max_results: String(historyPage) };
  for await (const page of source.pages("metrics/get-history", query, "metrics")) {
    for (const metrics of chunks(page, batchMetrics))
      await target.post("runs/log-batch", { run_id: runId, metrics });
    points += page.length;
  }
  return points;
}

interface FolderCopy {
  origin: string;
  runId: string;
  /** Where the files of the run here are, as the front door of files names it. */
  folder: string;
  path: string;
}

/** A file that has the size already is there. */
async function copyFiles(
  source: MlflowServer,
  target: MlflowServer,
  { path, ...copy }: FolderCopy,
): Promise<number> {
  const there = await filesOf(source, copy.origin, path);
  const here = new Map((await filesOf(target, copy.runId, path)).map((one) => [one["path"], one]));
  let files = 0;
  for (const file of there) {
    const name = textIn(file, "path");
    if (file["is_dir"] === true) {
      files += await copyFiles(source, target, { ...copy, path: name });
      continue;
    }
    const known = here.get(name);
    if (known !== undefined && Number(known["file_size"]) === Number(file["file_size"])) continue;
    await target.putFile(`${copy.folder}/${name}`, await source.file(copy.origin, name));
    files += 1;
  }
  return files;
}

async function filesOf(server: MlflowServer, runId: string, path: string): Promise<Message[]> {
  const query = { run_id: runId, ...(path !== "" && { path }) };
  const found: Message[] = [];
  for await (const page of server.pages("artifacts/list", query, "files")) found.push(...page);
  return found;
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
