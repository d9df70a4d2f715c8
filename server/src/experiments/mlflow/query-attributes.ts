import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { requireExperiment } from "../identity.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { readReach } from "../summaries/reach.ts";
import { beganAtMs, endedAtMs } from "../summaries/training-time.ts";
import { readInputs, type RunInputs } from "./read-inputs.ts";
import { readAttributes } from "./read.ts";
import { requireRun, type RunRow, statusWord } from "./run-row.ts";
import { nameInMeta } from "./shown-names.ts";

export interface QueryAttributes {
  organizationId: string;
  data: RequestData<"svc.v2.query.attributes">;
}

/** `query.attributes`: the attributes of an experiment that MLflow's clients wrote or read. */
export async function queryAttributes(
  reader: Reader,
  { organizationId, data }: QueryAttributes,
  text: ReplyText,
): Promise<void> {
  const experimentId = await requireExperiment(reader, organizationId, data);
  const row = await requireRun(reader, organizationId, experimentId);
  const [attributes] = await readAttributes(reader, [row]);
  const inputs = (await readInputs(reader, [experimentId])).get(experimentId)!;
  const points = await reader.get<{ points: number }>(
    "SELECT count(*) AS points FROM run_point WHERE experiment = $1 AND trashed = 0",
    experimentId,
  );
  const found: ReplyData<"svc.v2.query.attributes"> = {
    experimentId,
    ...attributes,
    name: nameInMeta(row.meta) ?? attributes.name,
    ...(await trainingTimeOf(reader, row)),
    run: runFacts(row),
    datasets: inputs.datasets.map(({ dataset: { name, digest, sourceType, source }, tags }) => {
      return { name, digest, sourceType, source, tags };
    }),
    models: await modelsOf(reader, organizationId, inputs),
    irregularPoints: points!.points,
  };
  await text.add(JSON.stringify(found));
}

/** Reads the training time as of now, where the summaries are behind. */
async function trainingTimeOf(
  reader: Reader,
  row: RunRow,
): Promise<Pick<Attributes, "beganAtMs" | "endedAtMs">> {
  const known = { beganAtMs: row.began_at_ms, endedAtMs: row.ended_at_ms };
  if (row.is_settled === 1) return known;
  const { firstMs, lastMs } = await readReach(reader, row.id);
  const found = await reader.get<{ began: number; ended: number | null }>(
    `SELECT ${beganAtMs} AS began, ${endedAtMs} AS ended
     FROM (SELECT CAST($2 AS BIGINT) AS first_point_ms, CAST($3 AS BIGINT) AS last_point_ms) z,
       experiment e LEFT JOIN run r ON r.experiment = e.id WHERE e.id = $1`,
    row.id,
    firstMs,
    lastMs,
  );
  return found === undefined ? known : { beganAtMs: found.began, endedAtMs: found.ended };
}

type Attributes = ReplyData<"svc.v2.query.attributes">;

function runFacts(row: RunRow): Attributes["run"] {
  if (row.is_run === 0) return null;
  return {
    user: row.user_name ?? "",
    status: statusWord(row),
    startTimeMs: row.start_time,
    endTimeMs: row.end_time,
    isDeleted: row.deleted_at_ms !== null,
  };
}

interface ModelFacts {
  id: string;
  name: string;
  model_type: string;
  status: number;
  deleted_at_ms: number | null;
}

/** Returns a run's input models, then its outputs; of one that does not exist only the id. */
async function modelsOf(
  reader: Reader,
  organizationId: string,
  { modelInputs, modelOutputs }: RunInputs,
): Promise<Attributes["models"]> {
  const named = [
    ...modelInputs.map((modelId) => ({ modelId, direction: "input" as const, step: "0" })),
    ...modelOutputs.map(({ modelId, step }) => {
      return { modelId, direction: "output" as const, step: `${step}` };
    }),
  ];
  if (named.length === 0) return [];
  const rows = await reader.all<ModelFacts>(
    `SELECT id, name, model_type, status, deleted_at_ms FROM logged_model
     WHERE organization = $1 AND ${reader.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(named.map(({ modelId }) => modelId)),
  );
  const facts = new Map(rows.map((row) => [row.id, row]));
  return named.map((model) => {
    const found = facts.get(model.modelId);
    if (found === undefined) return { ...model, name: null, modelType: null, status: null };
    const { name, model_type: modelType } = found;
    return { ...model, name, modelType, status: statusOf(found) };
  });
}

function statusOf({ status, deleted_at_ms: deletedAtMs }: ModelFacts) {
  if (deletedAtMs !== null) return "deleted";
  return status === 2 ? "ready" : status === 3 ? "failed" : "pending";
}
