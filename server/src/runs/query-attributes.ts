import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Reader } from "../database/database.ts";
import { requireExperiment } from "../experiments/identity.ts";
import type { ReplyText } from "../ground/reply-text.ts";
import { readInputs } from "./read-inputs.ts";
import { readAttributes } from "./read.ts";
import { requireRun } from "./run-row.ts";

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
    "SELECT count(*) AS points FROM run_point WHERE experiment = $1",
    experimentId,
  );
  const found: ReplyData<"svc.v2.query.attributes"> = {
    experimentId,
    ...attributes,
    datasets: inputs.datasets.map(({ dataset: { name, digest, sourceType, source }, tags }) => {
      return { name, digest, sourceType, source, tags };
    }),
    models: [
      ...inputs.modelInputs.map((modelId) => ({ modelId, direction: "input" as const, step: "0" })),
      ...inputs.modelOutputs.map(({ modelId, step }) => {
        return { modelId, direction: "output" as const, step: `${step}` };
      }),
    ],
    irregularPoints: points!.points,
  };
  await text.add(JSON.stringify(found));
}
