import { type PlainSums, SeriesSums } from "../series-sums.ts";
import { listIn, type Message, messageIn, type MlflowServer, textIn } from "./mlflow-server.ts";
import type { MlflowSource } from "./mlflow-source.ts";

export interface ComparedSeries {
  key: string;
  isEqual: boolean;
  source: PlainSums;
  stored: PlainSums;
}

export interface ComparedRun {
  series: ComparedSeries[];
  /** Params and tags that differ, each as `param lr`. */
  different: string[];
}

const historyPage = 25_000;
/** Tags that are others here: the parent's id is set at the end. */
const ownTags: ReadonlySet<string> = new Set(["mlflow.parentRunId"]);

/** Reads a copied run back, and compares it with the source: every series, params and tags. */
export async function compareRun(
  source: MlflowSource,
  target: MlflowServer,
  run: Message,
  runId: string,
): Promise<ComparedRun> {
  const origin = textIn(messageIn(run, "info"), "run_id");
  const data = messageIn(run, "data");
  const here = messageIn(messageIn(await target.get("runs/get", { run_id: runId }), "run"), "data");
  const series: ComparedSeries[] = [];
  for (const { key } of listIn(data, "metrics")) {
    const name = String(key);
    const there = (await sumsOf(source, origin, name)).plain();
    const stored = (await sumsOf(target, runId, name)).plain();
    const isEqual = there.count === stored.count && there.digest === stored.digest;
    series.push({ key: name, isEqual, source: there, stored });
  }
  const different = [
    ...differences("param", listIn(data, "params"), listIn(here, "params")),
    ...differences("tag", listIn(data, "tags"), listIn(here, "tags")),
  ];
  return { series, different };
}

/** The sentence of a comparison that fails; undefined if all is equal. */
export function differenceOf({ series, different }: ComparedRun): string | undefined {
  const names = [...series.flatMap(({ key, isEqual }) => (isEqual ? [] : [key])), ...different];
  if (names.length === 0) return undefined;
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `not equal to the source: ${names.slice(0, 10).join(", ")}${more}`;
}

function* differences(
  word: string,
  there: readonly Message[],
  here: readonly Message[],
): Generator<string> {
  const stored = new Map(here.map((pair) => [textIn(pair, "key"), textIn(pair, "value")]));
  for (const pair of there) {
    const name = textIn(pair, "key");
    if (word === "tag" && ownTags.has(name)) continue;
    if (stored.get(name) !== textIn(pair, "value")) yield `${word} ${name}`;
  }
}

async function sumsOf(
  server: MlflowSource | MlflowServer,
  runId: string,
  key: string,
): Promise<SeriesSums> {
  const sums = new SeriesSums();
  // MLflow keeps equal values of one step and time once.
  const seen = new Set<string>();
  const query = { run_id: runId, metric_key: key, max_results: String(historyPage) };
  for await (const page of server.pages("metrics/get-history", query, "metrics"))
    for (const metric of page) {
      const [step, timestamp] = ["step", "timestamp"].map((name) => textIn(metric, name) || "0");
      const value = Number(metric["value"] ?? 0);
      const text = `${step} ${timestamp} ${value}`;
      if (seen.has(text)) continue;
      seen.add(text);
      sums.add({
        step: BigInt(step),
        timestampMs: BigInt(timestamp),
        value,
      });
    }
  return sums;
}
