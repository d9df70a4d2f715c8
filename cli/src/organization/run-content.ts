import type { ExperimentRecord } from "@lossless/client";
import { tagsOfOrigin } from "@lossless/protocol/origin";
import { listIn, type Message, messageIn, textIn } from "../import/mlflow/mlflow-server.ts";

interface Pair {
  key: string;
  value: string;
}

/**
 * Params and tags that MLflow's clients wrote to a run, without those derived from the experiment.
 */
export function writtenAttributes(
  run: Message,
  { description, meta, slug }: ExperimentRecord,
): { params: Pair[]; tags: Pair[] } {
  const nativeParams = new Map(leavesOf(meta, ""));
  const nativeTags = new Map([
    ["mlflow.note.content", description],
    ["mlflow.runName", slug],
    ...tagsOfOrigin(meta),
  ]);
  const data = messageIn(run, "data");
  return {
    params: pairs(data, "params").filter(({ key, value }) => nativeParams.get(key) !== value),
    tags: pairs(data, "tags").filter(({ key, value }) => nativeTags.get(key) !== value),
  };
}

/** Whether MLflow's clients wrote any of it. */
export function isOfMlflow(run: Message, record: ExperimentRecord): boolean {
  const { params, tags } = writtenAttributes(run, record);
  const info = messageIn(run, "info");
  return (
    params.length + tags.length > 0 ||
    textIn(info, "user_id") !== "" ||
    listIn(messageIn(run, "inputs"), "dataset_inputs").length > 0 ||
    record.error === "KILLED" ||
    record.error === "FAILED"
  );
}

function pairs(message: Message, name: string): Pair[] {
  return listIn(message, name).map((one) => ({
    key: textIn(one, "key"),
    value: textIn(one, "value"),
  }));
}

/** The leaves of a meta as shown to MLflow's clients. */
function* leavesOf(object: object, path: string): Generator<[string, string]> {
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const key = path === "" ? name : `${path}.${name}`;
    const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isInner && Object.keys(value).length > 0) yield* leavesOf(value, key);
    else {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      yield [key, text.slice(0, 6_000)];
    }
  }
}

/**
 * Whether no point can hold this metric. Integers beyond a double are texts here. A key with a
 * brace is a partition of a native series, whose points are exported with their metadata.
 */
export function isIrregular(metric: Message): boolean {
  const key = textIn(metric, "key");
  if (key.includes("{")) return false;
  const { value, step = 0, timestamp } = metric;
  const isPlace = isSafe(step) && step >= 0 && step < Number.MAX_SAFE_INTEGER && isSafe(timestamp);
  const isValue = Number.isFinite(Number(value));
  return !isValue || !isPlace || !/^[\x20-\x7e]+$/.test(key);
}

function isSafe(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
