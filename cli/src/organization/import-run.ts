import { openAsBlob } from "node:fs";
import { join } from "node:path";
import {
  listIn,
  type Message,
  messageIn,
  type MlflowServer,
  textIn,
} from "../import/mlflow/mlflow-server.ts";
import { linesOf } from "./import-points.ts";
import { type ExportedExperiment, names } from "./layout.ts";
import { isOfMlflow, writtenAttributes } from "./run-content.ts";

interface RunPlace {
  directory: string;
  runId: string;
  folderId: string | null;
}

const pairsAtOnce = 100;
const metricsAtOnce = 500;

/**
 * Imports the data that MLflow's clients wrote beside an experiment. Sent again, it is recognised.
 */
export async function importRun(
  target: MlflowServer,
  { record, run, files }: ExportedExperiment,
  { directory, runId, folderId }: RunPlace,
): Promise<void> {
  // A run marked as deleted accepts no writes; it is marked again at the end.
  if (isDeleted(run)) await target.post("runs/restore", { run_id: runId });
  const address = `${folderId ?? "0"}/${runId}/artifacts`;
  for (const { path } of files) {
    if (!path.startsWith(names.files)) continue;
    const name = path.slice(names.files.length + 1).replaceAll("\\", "/");
    await target.putFile(`${address}/${name}`, (await openAsBlob(join(directory, path))).stream());
  }
  if (!isOfMlflow(run, record)) return;
  const { params, tags } = writtenAttributes(run, record);
  for (let at = 0; at < params.length; at += pairsAtOnce)
    await target.post("runs/log-batch", {
      run_id: runId,
      params: params.slice(at, at + pairsAtOnce),
    });
  for (let at = 0; at < tags.length; at += pairsAtOnce)
    await target.post("runs/log-batch", { run_id: runId, tags: tags.slice(at, at + pairsAtOnce) });
  let some: Message[] = [];
  const send = async (): Promise<void> => {
    if (some.length > 0) await target.post("runs/log-batch", { run_id: runId, metrics: some });
    some = [];
  };
  for await (const metric of linesOf<Message>(join(directory, names.metrics))) {
    some.push(metric);
    if (some.length === metricsAtOnce) await send();
  }
  await send();
  const datasets = listIn(messageIn(run, "inputs"), "dataset_inputs");
  if (datasets.length > 0) await target.post("runs/log-inputs", { run_id: runId, datasets });
}

/** Sets MLflow's own status, the end time, and whether the run is deleted. */
export async function endRun(
  target: MlflowServer,
  { record, run }: ExportedExperiment,
  runId: string,
): Promise<void> {
  if (!isOfMlflow(run, record)) return;
  const info = messageIn(run, "info");
  const { status, end_time: endTime } = info;
  const end = endTime === undefined ? {} : { end_time: endTime };
  await target.post("runs/update", { run_id: runId, status, ...end });
  if (isDeleted(run)) await target.post("runs/delete", { run_id: runId });
}

function isDeleted(run: Message): boolean {
  return textIn(messageIn(run, "info"), "lifecycle_stage") === "deleted";
}

const parentTag = "mlflow.parentRunId";

/** Id of the run that started this one, if any. */
export function parentOf({ run }: ExportedExperiment): string | undefined {
  const tags = listIn(messageIn(run, "data"), "tags");
  const found = tags.find(({ key }) => key === parentTag);
  return found === undefined ? undefined : textIn(found, "value");
}

/** Sets the parent by its id here. */
export async function adopt(target: MlflowServer, runId: string, parent: string): Promise<void> {
  await target.post("runs/set-tag", { run_id: runId, key: parentTag, value: parent });
}
