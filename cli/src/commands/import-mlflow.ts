import { type Command, type Invocation, onlyPositional, UsageError } from "../command.ts";
import { connectionHelp, connectionOptions } from "../connection.ts";
import { copyExperiments, type RunResult } from "../import/mlflow/copy-experiments.ts";
import { MlflowServer } from "../import/mlflow/mlflow-server.ts";
import { ownMlflowServer } from "../import/mlflow/own-server.ts";
import { Interruption } from "../interruption.ts";
import { countText, printable } from "../output.ts";

export const importMlflow: Command = {
  usage: "import mlflow URL [--experiment NAME]...",
  help: `
Copies experiments and runs of an MLflow server: params, tags, every point of every metric, data sets and files. What
is deleted there, the model registry and logged models are left out. An experiment becomes a folder of its name.
Running it again, also after it was stopped, copies what is new; runs that have ended and are whole are not read again.

  --experiment NAME  only this one; may be given several times
  --no-files         without files
  --parallel N       runs copied at once (4)

The credential of that server is the one MLflow's client takes: MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and
MLFLOW_TRACKING_PASSWORD.
${connectionHelp}`,
  options: {
    ...connectionOptions,
    experiment: { type: "string", multiple: true },
    "no-files": { type: "boolean" },
    parallel: { type: "string" },
  },
  run: runImport,
};

async function runImport(invocation: Invocation): Promise<number> {
  const { values, output, environment } = invocation;
  const url = addressOf(onlyPositional(invocation, "address of an MLflow server"));
  const names = values.texts("experiment");
  const source = new MlflowServer({
    url,
    authorization: () => Promise.resolve(sourceAuthorization(environment)),
  });
  const target = ownMlflowServer(invocation);
  using _interruption = new Interruption(() => {
    output.failure("stopped; run the same command again, nothing is stored twice");
  });
  const results = await copyExperiments({
    source,
    target,
    names: names.length === 0 ? undefined : names,
    withFiles: !values.flag("no-files"),
    parallel: values.integer("parallel", 4, 1, 32),
    onRun: (result) => output.note(lineOf(result)),
  });
  return conclude(invocation, results);
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "");
  throw new UsageError(`the MLflow server must be an http(s) address, not ${printable(text)}`);
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
  if (isKnown) return `${name}: already there`;
  return `${name}: ${countText(points)} points, ${countText(files)} files`;
}

function conclude({ output }: Invocation, results: readonly RunResult[]): number {
  const failed = results.filter(({ error }) => error !== undefined).length;
  const known = results.filter(({ isKnown }) => isKnown).length;
  const points = results.reduce((sum, one) => sum + one.points, 0);
  const files = results.reduce((sum, one) => sum + one.files, 0);
  output.answer({ runs: results, failed }, () => {
    const copied = countText(results.length - failed - known);
    return `${copied} runs copied with ${countText(points)} points and ${countText(files)} files, ${countText(known)} already there, ${countText(failed)} failed`;
  });
  return failed === 0 ? 0 : 1;
}
