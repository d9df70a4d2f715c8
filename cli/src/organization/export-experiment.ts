import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LosslessClient } from "@lossless/client";
import { CommandError } from "../command.ts";
import { untilWhole } from "../export/parquet-files.ts";
import { type PartialFiles, writeAtomically } from "../export/write-atomically.ts";
import {
  listIn,
  type Message,
  messageIn,
  type MlflowServer,
  textIn,
} from "../import/mlflow/mlflow-server.ts";
import { exportConsole } from "./export-console.ts";
import { countedText, countText } from "../output.ts";
import { attemptsOf } from "./attempts.ts";
import {
  type AnnotationLine,
  type ExportedExperiment,
  type FileSum,
  names,
  sumOf,
  writeJson,
} from "./layout.ts";
import { isIrregular, isOfMlflow } from "./run-content.ts";

export interface ExportSource {
  client: LosslessClient;
  mlflow: MlflowServer;
  partials: PartialFiles;
}

/** Exports an experiment into its directory, `experiment.json` last. */
export async function exportExperiment(
  source: ExportSource,
  { experimentId, folder, revision }: { experimentId: string; folder: string[]; revision: number },
  directory: string,
): Promise<ExportedExperiment> {
  const { client, mlflow, partials } = source;
  // Without this file nothing in the directory counts.
  await rm(join(directory, names.experiment), { force: true });
  const record = await client.experiment({ experimentId });
  const write = (name: string, content: () => AsyncIterable<string | Uint8Array>) =>
    untilWhole(() =>
      writeAtomically(join(directory, name), content(), { overwrite: true, partials }),
    );
  let points = 0;
  let stepless = 0;
  await write(names.points, async function* () {
    points = 0;
    stepless = 0;
    for await (const block of client.series({ experimentId })) {
      points += block.value.length;
      for (const step of block.step) if (step === null) stepless++;
      yield `${JSON.stringify(block)}\n`;
    }
  });
  const { annotations, truncated } = await annotationsOf(client, experimentId);
  await write(names.annotations, async function* () {
    for (const line of annotations) yield `${JSON.stringify(line)}\n`;
  });
  const console = await exportConsole(client, experimentId, (content) =>
    write(names.console, content),
  );
  const attempts = await attemptsOf(client, experimentId);
  const run = messageIn(await mlflow.get("runs/get", { run_id: experimentId }), "run");
  const written = [names.points, names.annotations] as string[];
  if (console.sources.length > 0) written.push(names.console);
  if (isOfMlflow(run, record)) {
    await write(names.metrics, () => irregularMetrics(mlflow, experimentId, run));
    written.push(names.metrics);
  }
  await rm(join(directory, names.files), { recursive: true, force: true });
  for await (const path of runFiles(mlflow, experimentId, "")) {
    const name = join(names.files, path);
    await write(name, async function* () {
      yield* await mlflow.file(experimentId, path);
    });
    written.push(name);
  }
  const files: FileSum[] = [];
  for (const name of written) files.push(await sumOf(directory, name));
  const exported = {
    record,
    folder,
    revision,
    points,
    annotations: annotations.length,
    console,
    attempts,
    run,
    files,
    leftOut: leftOutOf(stepless, truncated ? annotations.length : undefined),
  };
  await writeJson(join(directory, names.experiment), exported, partials);
  return exported;
}

/** Annotations in the order of arrival; of very many only the newest. */
async function annotationsOf(
  client: LosslessClient,
  experimentId: string,
): Promise<{ annotations: AnnotationLine[]; truncated: boolean }> {
  const { annotations, truncated } = await client.annotations({ experimentId });
  const lines = annotations.map(({ annotation, meta, createdAtMs }) => ({
    annotation,
    meta,
    createdAtMs,
  }));
  return { annotations: lines.reverse(), truncated };
}

function leftOutOf(stepless: number, newestAnnotations: number | undefined): string[] {
  const leftOut: string[] = [];
  if (stepless > 0)
    leftOut.push(
      `${names.points} has ${countedText(stepless, "point")} without a step, which cannot be imported`,
    );
  if (newestAnnotations !== undefined)
    leftOut.push(
      `annotations before the newest ${countText(newestAnnotations)} are only in annotations.parquet`,
    );
  return leftOut;
}

/** Metrics of MLflow's clients that points cannot hold: NaN, infinities, steps below 0. */
async function* irregularMetrics(
  mlflow: MlflowServer,
  runId: string,
  run: Message,
): AsyncGenerator<string> {
  for (const { key } of listIn(messageIn(run, "data"), "metrics")) {
    const query = { run_id: runId, metric_key: String(key), max_results: "25000" };
    for await (const page of mlflow.pages("metrics/get-history", query, "metrics"))
      for (const metric of page.filter(isIrregular)) yield `${JSON.stringify(metric)}\n`;
  }
}

async function* runFiles(
  mlflow: MlflowServer,
  runId: string,
  folder: string,
): AsyncGenerator<string> {
  const query = { run_id: runId, ...(folder !== "" && { path: folder }) };
  for await (const page of mlflow.pages("artifacts/list", query, "files"))
    for (const entry of page) {
      const path = textIn(entry, "path");
      if (path.split("/").includes("..") || path.startsWith("/"))
        throw new CommandError(`the service names a file outside of the run: ${path}`);
      if (entry["is_dir"] === true) yield* runFiles(mlflow, runId, path);
      else yield path;
    }
}
