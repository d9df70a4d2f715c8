import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { requireExperiment } from "../experiments/identity.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { readInputs, type RunInputs } from "./read-inputs.ts";
import { readAttributes } from "./read.ts";
import { requireRun, type RunRow, statusWord } from "./run-row.ts";
import { nameInMeta } from "./shown-names.ts";

export interface QueryAttributes {
  organizationId: string;
  data: RequestData<"svc.v2.query.attributes">;
}

/** `query.attributes`: what MLflow's clients wrote beside an experiment, or read of it. */
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
    run: runFacts(row),
    datasets: inputs.datasets.map(({ dataset: { name, digest, sourceType, source }, tags }) => {
      return { name, digest, sourceType, source, tags };
    }),
    models: await modelsOf(reader, organizationId, inputs),
    irregularPoints: points!.points,
  };
  await text.add(JSON.stringify(found));
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

/** Those that went in, then those that came out; of what no model is the id alone is known. */
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
