import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Invocation, onlyPositional, UsageError } from "../../command.ts";
import { serviceCommand } from "../../connection.ts";
import {
  copyExperiments,
  type CopyResults,
  type RunResult,
} from "../../import/mlflow/copy-experiments.ts";
import type { ModelResult } from "../../import/mlflow/copy-models.ts";
import { listIn, messageIn, MlflowServer, textIn } from "../../import/mlflow/mlflow-server.ts";
import type { MlflowStore } from "../../import/mlflow/mlflow-source.ts";
import { ownMlflowServer } from "../../import/mlflow/own-server.ts";
import { DatabaseStore } from "../../import/mlflow/stores/database-store.ts";
import { PostgresDatabase } from "../../import/mlflow/stores/postgres-database.ts";
import { SqliteDatabase } from "../../import/mlflow/stores/sqlite-database.ts";
import { DirectoryStore } from "../../import/mlflow/stores/directory-store.ts";
import { StoreSource } from "../../import/mlflow/stores/store-source.ts";
import { directoryOf } from "../../import/mlflow/stores/stored-files.ts";
import { Interruption } from "../../interruption.ts";
import { countedText, countText, printable } from "../../output.ts";

export const importMlflow = serviceCommand({
  usage: "import mlflow URL|DIR|FILE [--experiment NAME]...",
  help: `
Copies experiments and runs of an MLflow server, of a directory mlruns, or of a database on SQLite or PostgreSQL:
params, tags, every point of every metric, data sets, files and logged models, but not deleted ones, nor the model
registry. An experiment becomes a folder of its name. Each run is read back and compared with the source.
You may interrupt and repeat it: it copies only new data, and does not read complete runs again that have ended.

  lossless import mlflow https://mlflow.example      a server
  lossless import mlflow ./mlruns                    a directory; MLflow need not be installed
  lossless import mlflow ./mlflow.db                 a database, also as sqlite:///mlflow.db
  lossless import mlflow postgresql://reader@db/ml   a database on PostgreSQL, which is only read

  --experiment NAME  only this one; may be repeated
  --no-files         without files
  --dry-run          only counts what would be copied; for directories and databases
  --report FILE      write the comparison of each run and series as JSON
  --parallel N       runs copied at once (4)

The credential of that server is that of MLflow's client: MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and
MLFLOW_TRACKING_PASSWORD.
`,
  options: {
    experiment: { type: "string", multiple: true },
    "no-files": { type: "boolean" },
    parallel: { type: "string" },
    "dry-run": { type: "boolean" },
    report: { type: "string" },
  },
  async run(invocation) {
    const { values, output } = invocation;
    const given = onlyPositional(invocation, "address, directory or database of MLflow");
    const names = values.texts("experiment");
    await using store = await storeOf(given);
    const place = withoutCredentials(given);
    if (values.flag("dry-run")) return await tellContent(invocation, store, place);
    const stored = store && new StoreSource(store, place);
    const source = stored ?? serverOf(invocation, given);
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
    const report = values.text("report");
    if (report !== undefined) await writeReport(report, place, results);
    for (const [uri] of stored?.elsewhere ?? [])
      output.note(`files at ${printable(uri)} are not on this machine: not copied`);
    for (const problem of store?.problems ?? []) output.note(printable(problem));
    const code = conclude(invocation, results);
    return (store?.problems.length ?? 0) > 0 ? 1 : code;
  },
});

/** A store in files or in a database; undefined for the address of a server. */
async function storeOf(place: string): Promise<MlflowStore | undefined> {
  if (PostgresDatabase.isAddress(place))
    return DatabaseStore.open(await PostgresDatabase.open(place));
  const path = place.startsWith("sqlite:///")
    ? place.slice("sqlite:///".length)
    : place.startsWith("file:")
      ? (directoryOf(place) ?? place)
      : place;
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined && path !== place) throw new UsageError(noPlace(path));
  if (status?.isFile()) return DatabaseStore.open(await SqliteDatabase.open(path));
  if (!status?.isDirectory()) return undefined;
  for (const one of [path, join(path, "mlruns")])
    if (await DirectoryStore.isOne(one)) return new DirectoryStore(one);
  throw new UsageError(
    `${printable(path)} is no directory of MLflow: it has no meta.yaml below it`,
  );
}

function serverOf({ environment }: Invocation, place: string): MlflowServer {
  return new MlflowServer({
    url: addressOf(place),
    authorization: () => Promise.resolve(sourceAuthorization(environment)),
  });
}

/** A place as reports and messages name it: whatever may be a credential in it is left out. */
function withoutCredentials(place: string): string {
  return place.includes("://") ? place.replace(/:\/\/.*@/s, "://").replace(/\?.*$/s, "") : place;
}

/** Tells what a store has, without the service. */
async function tellContent(
  { values, output }: Invocation,
  store: MlflowStore | undefined,
  place: string,
): Promise<number> {
  if (store === undefined)
    throw new UsageError(`--dry-run is for directories and databases, not for ${printable(place)}`);
  const names = values.texts("experiment");
  const totals = { experiments: 0, runs: 0, points: 0, models: 0 };
  for (const { id, name } of await store.experiments()) {
    if (names.length > 0 && !names.includes(name)) continue;
    totals.experiments++;
    totals.models += (await store.models(id)).length;
    for (const { message } of await store.runs(id)) {
      totals.runs++;
      const runId = textIn(messageIn(message, "info"), "run_id");
      const keys = listIn(messageIn(message, "data"), "metrics");
      let points = 0;
      for (const { key } of keys) points += (await store.history(runId, String(key))).length;
      totals.points += points;
      const content = `${countedText(keys.length, "metric")}, ${countedText(points, "point")}`;
      output.note(`${printable(name)} ${runId}: ${content}`);
    }
  }
  for (const problem of store.problems) output.note(printable(problem));
  const { experiments, runs, points, models } = totals;
  output.answer(totals, () => {
    const counts = [
      countedText(experiments, "experiment"),
      countedText(runs, "run"),
      countedText(points, "point"),
    ];
    return `${counts.join(", ")} and ${countedText(models, "model")}: nothing was sent`;
  });
  return store.problems.length > 0 ? 1 : 0;
}

async function writeReport(path: string, place: string, results: CopyResults): Promise<void> {
  const content = { source: "MLflow", place, madeAtMs: Date.now(), ...results };
  await writeFile(path, `${JSON.stringify(content, undefined, 1)}\n`);
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, "");
  const place = printable(withoutCredentials(text));
  const isDatabase = text.includes("://") && !text.startsWith("file:");
  throw new UsageError(
    isDatabase
      ? `${place} is no server, and no database on SQLite or PostgreSQL; to serve another one, run: mlflow server --backend-store-uri ${place}`
      : noPlace(text),
  );
}

function noPlace(path: string): string {
  return `there is no directory or file ${printable(path)}; an MLflow server is named by its http(s) address`;
}

function sourceAuthorization(environment: NodeJS.ProcessEnv): string | undefined {
  const token = environment["MLFLOW_TRACKING_TOKEN"];
  if (token !== undefined && token !== "") return `Bearer ${token}`;
  const user = environment["MLFLOW_TRACKING_USERNAME"] ?? "";
  if (user === "") return undefined;
  const password = environment["MLFLOW_TRACKING_PASSWORD"] ?? "";
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

function lineOf(result: RunResult): string {
  const { experiment, from, points, files, isKnown, error } = result;
  const name = `${printable(experiment)} ${printable(from)}`;
  if (error !== undefined) return `${name}: ${printable(error)}`;
  if (isKnown) return `${name}: already copied`;
  const series = result.compared?.series ?? [];
  const equal = `${countText(series.filter(({ isEqual }) => isEqual).length)} of ${countedText(series.length, "series", "series")} equal to the source`;
  return `${name}: ${countedText(points, "point")}, ${countedText(files, "file")}; ${equal}`;
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
