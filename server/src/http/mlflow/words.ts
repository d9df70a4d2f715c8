import type { DatasetInput } from "../../experiments/mlflow/inputs.ts";
import type { RunMetric } from "../../experiments/mlflow/metric.ts";
import { invalid, invalidValue, missing } from "./message.ts";

/** Key rules and limits of MLflow, in its words: its clients and their tests know them. */

const limits = {
  key: 250,
  paramValue: 6_000,
  tagValue: 8_000,
  folderTagValue: 20_000,
  experimentName: 200,
  modelName: 500,
  modelKey: 255,
  modelValue: 65_535,
  datasetName: 500,
  datasetDigest: 36,
  datasetSource: 65_535,
  datasetSchema: 1_048_575,
  datasetProfile: 16_777_215,
  inputTagKey: 255,
  inputTagValue: 500,
};

/** `\w` of Python: letters and digits of every script, and the underscore. */
const keyPattern = /^[/\p{L}\p{N}_.\- :]*$/u;
const badCharacters =
  "Names may only contain alphanumerics, underscores (_), dashes (-), periods (.), spaces ( ), colon(:) and slashes (/).";

export function requireKeyForm(key: string, path: string): void {
  if (!keyPattern.test(key)) throw invalid(invalidValue(path, key, badCharacters));
  const normal = normalPath(key);
  if (normal === key && normal !== "." && !normal.startsWith("..") && !normal.startsWith("/"))
    return;
  const sentence =
    "Names may be treated as files in certain cases, and must not resolve to other names when " +
    `treated as such. This name would resolve to '${normal}'`;
  throw invalid(invalidValue(path, key, sentence));
}

/** Python's `posixpath.normpath`. */
export function normalPath(path: string): string {
  if (path === "") return ".";
  const slashes = /^\/\/(?!\/)/.test(path) ? "//" : path.startsWith("/") ? "/" : "";
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== ".." || (slashes === "" && (names.length === 0 || names.at(-1) === "..")))
      names.push(name);
    else names.pop();
  }
  return slashes + names.join("/") || ".";
}

export function checkLength(what: string, maximum: number, value: string): void {
  // No text has more characters than UTF-16 units.
  if (value.length > maximum && Array.from(value).length > maximum)
    throw invalid(`'${what}' exceeds the maximum length of ${maximum} characters`);
}

export function checkMetric({ key, value, timestamp }: RunMetric, path = ""): void {
  requireKeyForm(key, joined(path, "name"));
  if (timestamp < 0n) {
    const shown = Number.isSafeInteger(value) ? `${value}.0` : value;
    const sentence = `metric '${key}' (value=${shown}). Timestamp must be a nonnegative long (64-bit integer) `;
    throw invalid(invalidValue(joined(path, "timestamp"), timestamp, sentence));
  }
  checkLength("Metric name", limits.key, key);
}

/** Checks the metrics of a batch, many of which have the same key. */
export function checkMetrics(metrics: readonly RunMetric[]): void {
  const checked = new Set<string>();
  for (const [at, metric] of metrics.entries()) {
    if (checked.has(metric.key) && metric.timestamp >= 0n) continue;
    checkMetric(metric, `metrics[${at}]`);
    checked.add(metric.key);
  }
}

export function checkMetricDataset(name: string, digest: string, path: string): void {
  checkLength(joined(path, "dataset_name"), limits.datasetName, name);
  checkLength(joined(path, "dataset_digest"), limits.datasetDigest, digest);
}

export function checkParam({ key, value }: Pair, path = ""): void {
  requireKeyForm(key, joined(path, "key"));
  checkLength("Param key", limits.key, key);
  checkLength("Param value", limits.paramValue, value);
}

export function checkTag({ key, value }: Pair, path = ""): void {
  requireKeyForm(key, joined(path, "key"));
  checkLength(joined(path, "key"), limits.key, key);
  checkLength(joined(path, "value"), limits.tagValue, value);
}

export function checkFolderTag({ key, value }: Pair): void {
  requireKeyForm(key, "key");
  checkLength("key", limits.key, key);
  checkLength("value", limits.folderTagValue, value);
}

const modelNameForbids = ["/", ":", ".", "%", '"', "'"];

export function checkModel(given: { name: string; modelType: string; sourceRun: string }): void {
  const { name, modelType, sourceRun } = given;
  if (modelNameForbids.some((character) => name.includes(character))) {
    const shown = modelNameForbids.map(pythonText).join(", ");
    throw invalid(
      `Invalid model name (${pythonText(name)}) provided. Model name must be a non-empty string ` +
        `and cannot contain the following characters: (${shown})`,
    );
  }
  checkLength("name", limits.modelName, name);
  checkLength("model_type", limits.modelName, modelType);
  checkLength("source_run_id", limits.modelKey, sourceRun);
}

/** Returns a text as Python's `repr` shows it. */
function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}

/**
 * Checks a pair of a model: MLflow has no rule for its keys; these are the lengths of its columns.
 */
export function checkModelPair({ key, value }: Pair, path: string): void {
  if (key === "") throw missing(joined(path, "key"));
  checkLength(joined(path, "key"), limits.modelKey, key);
  checkLength(joined(path, "value"), limits.modelValue, value);
}

export const tagCharactersMax = limits.tagValue;

/** Checks a dataset; its profile is bounded by the size of a body. */
export function checkDataset({ dataset, tags }: DatasetInput): void {
  checkLength("name", limits.datasetName, dataset.name);
  checkLength("digest", limits.datasetDigest, dataset.digest);
  checkLength("source_type", limits.modelKey, dataset.sourceType);
  checkLength("source", limits.datasetSource, dataset.source);
  checkLength("schema", limits.datasetSchema, dataset.schema ?? "");
  checkLength("profile", limits.datasetProfile, dataset.profile ?? "");
  for (const { key, value } of tags) {
    checkLength("key", limits.inputTagKey, key);
    checkLength("value", limits.inputTagValue, value);
  }
}

/** Checks the form of a model id; MLflow does not check that the model exists. */
export function checkModelId(modelId: string): void {
  checkLength("model_id", limits.modelKey, modelId);
}

export interface Pair {
  key: string;
  value: string;
}

/** Checks a name by the rule of folders, which is narrower than MLflow's. */
export function checkExperimentName(name: string): void {
  if (name.trim() === "" || /\p{Cc}/u.test(name))
    throw invalid(
      `Invalid experiment name: '${name}'. It must not be blank and have no control characters.`,
    );
  checkLength("name", limits.experimentName, name);
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

const batchMax = { metrics: 1_000, params: 100, tags: 100, all: 1_000, bytes: 1_000_000 };

export function checkBatch(metrics: number, params: number, tags: number): void {
  const counts = [
    ["metrics", batchMax.metrics, metrics],
    ["params", batchMax.params, params],
    ["tags", batchMax.tags, tags],
    ["metrics, params, and tags", batchMax.all, metrics + params + tags],
  ] as const;
  for (const [what, maximum, count] of counts) {
    if (count <= maximum) continue;
    throw invalid(
      `A batch logging request can contain at most ${maximum} ${what}. Got ${count} ${what}. ` +
        `Please split up ${what} across multiple requests and try again.`,
    );
  }
}

export function checkBatchBytes(bytes: number): void {
  if (bytes <= batchMax.bytes) return;
  throw invalid(
    `Batched logging API requests must be at most ${batchMax.bytes} bytes, got a request of size ${bytes}.`,
  );
}

export function checkParamKeysUnique(params: readonly Pair[]): void {
  const seen = new Set<string>();
  const doubled: string[] = [];
  for (const { key } of params) {
    if (seen.has(key)) doubled.push(`'${key}'`);
    seen.add(key);
  }
  if (doubled.length === 0) return;
  throw invalid(
    `Duplicate parameter keys have been submitted: [${doubled.join(", ")}]. Please ensure the ` +
      "request contains only one param value per param key.",
  );
}

export function checkRunId(runId: string): void {
  if (!/^[a-zA-Z0-9][\w-]{0,255}$/.test(runId)) throw invalid(invalidValue("run_id", runId));
}
