import { type Invocation, onlyPositional, UsageError } from "../../command.ts";
import { serviceCommand } from "../../connection.ts";
import {
  copyExperiments,
  type CopyResults,
  type RunResult,
} from "../../import/mlflow/copy-experiments.ts";
import type { ModelResult } from "../../import/mlflow/copy-models.ts";
import { MlflowServer } from "../../import/mlflow/mlflow-server.ts";
import { ownMlflowServer } from "../../import/mlflow/own-server.ts";
import { Interruption } from "../../interruption.ts";
import { countedText, countText, printable } from "../../output.ts";

export const importMlflow = serviceCommand({
  usage: "import mlflow URL [--experiment NAME]...",
  help: `
Copies experiments and runs of an MLflow server: params, tags, every point of every metric, data sets, files
and logged models, but not deleted ones, nor the model registry. An experiment becomes a folder of its name.
You may interrupt and repeat it: it copies only new data, and does not read complete runs again that have ended.

  --experiment NAME  only this one; may be repeated
  --no-files         without files
  --parallel N       runs copied at once (4)

The credential of that server is that of MLflow's client: MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and
MLFLOW_TRACKING_PASSWORD.
`,
  options: {
    experiment: { type: "string", multiple: true },
    "no-files": { type: "boolean" },
    parallel: { type: "string" },
  },
  async run(invocation) {
    const { values, output, environment } = invocation;
    const url = addressOf(onlyPositional(invocation, "address of an MLflow server"));
    const names = values.texts("experiment");
    const source = new MlflowServer({
      url,
      authorization: () => Promise.resolve(sourceAuthorization(environment)),
    });
    const target = ownMlflowServer(invocation);
    using _interruption = new Interruption(() => {
      output.failure("stopped; run the same command again: nothing is stored twice");
    });
    const results = await copyExperiments({
      source,
      target,
      names: names.length === 0 ? undefined : names,
      withFiles: !values.flag("no-files"),
      parallel: values.integer("parallel", 4, 1, 32),
      onRun: (result) => output.note(lineOf(result)),
      onModel: (result) => output.note(modelLineOf(result)),
    });
    return conclude(invocation, results);
  },
});

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "");
  const place = printable(text);
  const isDatabase = text.includes("://") && !text.startsWith("file:");
  // MLflow otherwise refuses a directory.
  const allowed = isDatabase ? "" : "MLFLOW_ALLOW_FILE_STORE=true ";
  throw new UsageError(
    `the MLflow server must be an http(s) address, not ${place}; to serve a directory or database, run: ${allowed}mlflow server --backend-store-uri ${place}`,
  );
}

function sourceAuthorization(environment: NodeJS.ProcessEnv): string | undefined {
  const token = environment["MLFLOW_TRACKING_TOKEN"];
  if (token !== undefined && token !== "") return `Bearer ${token}`;
  const user = environment["MLFLOW_TRACKING_USERNAME"] ?? "";
  if (user === "") return undefined;
  const password = environment["MLFLOW_TRACKING_PASSWORD"] ?? "";
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

function lineOf({ experiment, from, points, files, isKnown, error }: RunResult): string {
  const name = `${printable(experiment)} ${printable(from)}`;
  if (error !== undefined) return `${name}: ${printable(error)}`;
  if (isKnown) return `${name}: already copied`;
  return `${name}: ${countedText(points, "point")}, ${countedText(files, "file")}`;
}

function modelLineOf({ from, files, isKnown, error }: ModelResult): string {
  const name = `model ${printable(from)}`;
  if (error !== undefined) return `${name}: ${printable(error)}`;
  return isKnown ? `${name}: already copied` : `${name}: ${countedText(files, "file")}`;
}

function conclude({ output }: Invocation, { runs, models }: CopyResults): number {
  const all = [...runs, ...models];
  const failed = all.filter(({ error }) => error !== undefined).length;
  const known = all.filter(({ isKnown }) => isKnown).length;
  const points = runs.reduce((sum, one) => sum + one.points, 0);
  const files = all.reduce((sum, one) => sum + one.files, 0);
  const copied = (results: readonly RunResult[] | readonly ModelResult[], word: string) =>
    countedText(
      results.filter(({ isKnown, error }) => !isKnown && error === undefined).length,
      word,
    );
  output.answer({ runs, models, failed }, () => {
    return (
      `copied ${copied(runs, "run")} and ${copied(models, "model")} with ${countedText(points, "point")} ` +
      `and ${countedText(files, "file")}, ${countText(known)} already copied, ${countText(failed)} failed`
    );
  });
  return failed === 0 ? 0 : 1;
}
