import * as Type from "./type.ts";
import { assignedId, closedObject, experimentIdentity, nullable, oneOfStrings } from "./schema.ts";

const pair = { key: Type.String(), value: Type.String() };

export const Attribute = closedObject("Attribute", pair);

export const AttributesQueryData = experimentIdentity("AttributesQueryData", {});

export const AttributesResultData = closedObject("AttributesResultData", {
  experimentId: assignedId("The experiment."),
  name: Type.String({
    description:
      "What lists call it: `_name` of the meta where that is a text, else the tag `mlflow.runName`, else the slug.",
  }),
  beganAtMs: Type.Integer({ description: "When it began, as a row of the table says it." }),
  endedAtMs: nullable(Type.Integer({ description: "Likewise; null: it is running." })),
  run: nullable(
    closedObject(
      "RunFacts",
      {
        user: Type.String({ description: "As the client says it; empty: it said none." }),
        status: Type.String({ description: "MLflow's word, such as `KILLED`." }),
        startTimeMs: nullable(Type.Integer({ description: "By the client's clock." })),
        endTimeMs: nullable(Type.Integer({ description: "Likewise." })),
        isDeleted: Type.Boolean({ description: "MLflow's clients see it as deleted." }),
      },
      { description: "Null: nothing of it came through MLflow." },
    ),
  ),
  params: Type.Array(Attribute, {
    description: "Those that were logged, by key, then the leaves of the meta that no param is.",
  }),
  tags: Type.Array(Attribute, { description: "By key; then name and description, if no tag is." }),
  datasets: Type.Array(
    closedObject("InputDataset", {
      name: Type.String(),
      digest: Type.String(),
      sourceType: Type.String(),
      source: Type.String(),
      tags: Type.Array(Attribute),
    }),
    { description: "What the run read, in the order in which it was logged." },
  ),
  models: Type.Array(
    closedObject("RunModel", {
      modelId: Type.String(),
      direction: oneOfStrings("RunModelDirection", ["input", "output"]),
      step: Type.String({ description: "Digits: it may be larger than 2^53; of an input 0." }),
      name: nullable(Type.String({ description: "Null: there is no model of this id." })),
      modelType: nullable(Type.String({ description: "As the client says it, may be empty." })),
      status: nullable(oneOfStrings("RunModelStatus", ["pending", "ready", "failed", "deleted"])),
    }),
    { description: "Logged models that went into the run, then those that came out of it." },
  ),
  irregularPoints: Type.Integer({
    description: "Values that only MLflow's clients read: NaN, infinities, steps below 0.",
    minimum: 0,
  }),
});
export type AttributesResultData = Type.Static<typeof AttributesResultData>;
