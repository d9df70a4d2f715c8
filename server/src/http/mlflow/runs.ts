import type { RunMetric } from "../../experiments/mlflow/metric.ts";
import type { Run } from "../../experiments/mlflow/read.ts";
import { nameTag } from "../../experiments/mlflow/name.ts";
import { writeOne } from "../../storage/storage.ts";
import { inputsOf, outputsOf } from "./inputs.ts";
import { integer, invalid, list, message, oneOf, required, text } from "./message.ts";
import { answered, type MlflowCall, mlflow } from "./mlflow.ts";
import { checkTag, type Pair } from "./words.ts";

const runId = { run_id: required(text) };
const statuses = { RUNNING: 1, SCHEDULED: 2, FINISHED: 3, FAILED: 4, KILLED: 5 } as const;

export const runs = mlflow({
  mlflowCreateRun: answered(
    {
      experiment_id: text,
      user_id: text,
      run_name: text,
      start_time: integer,
      tags: list(message({ key: text, value: text })),
    },
    async ({ organizationId, message: given, served: { storage } }) => {
      const tags = given.tags.map(({ key = "", value = "" }) => ({ key, value }));
      for (const [at, tag] of tags.entries()) checkTag(tag, `tags[${at}]`);
      const input = {
        organizationId,
        folderId:
          given.experiment_id === undefined || given.experiment_id === ""
            ? "0"
            : given.experiment_id,
        user: given.user_id ?? "",
        startTime: timeOf(given.start_time, "start_time") ?? 0,
        tags: named(tags, given.run_name),
      };
      const { experimentId } = await writeOne(storage, "run.create", input);
      const run = await storage.read("run.read", { organizationId, runId: experimentId });
      return { run: runOf(run) };
    },
  ),

  mlflowUpdateRun: answered(
    { ...runId, status: oneOf(statuses), end_time: integer, run_name: text },
    async ({ organizationId, message: given, served: { storage } }) => {
      const { run_id: id, status, run_name: name } = given;
      if (name !== undefined) checkTag({ key: nameTag, value: name });
      const endTime = timeOf(given.end_time, "end_time");
      const input = { organizationId, runId: id, status, endTime, name };
      await writeOne(storage, "run.update", input);
      const run = await storage.read("run.read", { organizationId, runId: id });
      return { run_info: infoOf(run) };
    },
  ),

  mlflowDeleteRun: answered(runId, (asked) => mark(asked, true)),
  mlflowRestoreRun: answered(runId, (asked) => mark(asked, false)),

  mlflowGetRun: answered(runId, async ({ organizationId, message: given, served: { storage } }) => {
    const run = await storage.read("run.read", { organizationId, runId: given.run_id });
    return { run: runOf(run) };
  }),

  mlflowSetTag: answered(
    { ...runId, key: required(text), value: text },
    async ({ organizationId, message: given, served: { storage } }) => {
      const tag = { key: given.key, value: given.value ?? "" };
      checkTag(tag);
      const input = { organizationId, runId: given.run_id, params: [], tags: [tag] };
      await writeOne(storage, "run.log", { ...input, latest: [], irregular: [], modelMetrics: [] });
      return {};
    },
  ),

  mlflowDeleteTag: answered(
    { ...runId, key: required(text) },
    async ({ organizationId, message: { run_id: id, key }, served: { storage } }) => {
      await writeOne(storage, "run.deleteTag", { organizationId, runId: id, key });
      return {};
    },
  ),
});

async function mark(asked: MlflowCall<typeof runId>, isDeleted: boolean): Promise<object> {
  const { organizationId, message: given, served } = asked;
  await writeOne(served.storage, "run.mark", { organizationId, runId: given.run_id, isDeleted });
  return {};
}

/** Adds the name of a run as a tag. Of two tags with one key the last counts. */
function named(tags: readonly Pair[], name: string | undefined): Pair[] {
  const byKey = new Map(tags.map(({ key, value }) => [key, value]));
  const tagged = byKey.get(nameTag);
  if (name !== undefined && name !== "") {
    if (tagged !== undefined && tagged !== "" && tagged !== name) {
      throw invalid(
        "Both 'run_name' argument and 'mlflow.runName' tag are specified, but with different values " +
          `(run_name='${name}', mlflow.runName='${tagged}').`,
      );
    }
    byKey.set(nameTag, name);
    checkTag({ key: nameTag, value: name });
  } else if (tagged === "") byKey.delete(nameTag);
  return [...byKey].map(([key, value]) => ({ key, value }));
}

/** Returns a time in milliseconds, which a number holds exactly for any client. */
function timeOf(given: bigint | undefined, name: string): number | undefined {
  if (given === undefined) return undefined;
  const time = Number(given);
  if (Number.isSafeInteger(time)) return time;
  throw invalid(`Invalid value ${given} for parameter '${name}' supplied: it is no time.`);
}

export function runOf(run: Run): object {
  const { params, tags, metrics } = run;
  return {
    info: infoOf(run),
    data: {
      metrics: metrics.length > 0 ? metrics.map(metricOf) : undefined,
      params: params.length > 0 ? params : undefined,
      tags: tags.length > 0 ? tags : undefined,
    },
    inputs: inputsOf(run.inputs),
    outputs: outputsOf(run.inputs),
  };
}

export function metricOf({ key, value, timestamp, step }: RunMetric): object {
  return { key, value, timestamp, step };
}

function infoOf(run: Run): object {
  return {
    run_id: run.id,
    run_uuid: run.id,
    run_name: run.name,
    experiment_id: run.folderId,
    user_id: run.user,
    status: run.status,
    start_time: run.startTime ?? undefined,
    end_time: run.endTime ?? undefined,
    artifact_uri: run.artifactUri,
    lifecycle_stage: run.isDeleted ? "deleted" : "active",
  };
}
