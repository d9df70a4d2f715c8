import * as Type from "./type.ts";
import { assignedId, closedObject, experimentIdentity, nullable, oneOfStrings } from "./schema.ts";

const pair = { key: Type.String(), value: Type.String() };

export const Attribute = closedObject("Attribute", pair);

export const AttributesQueryData = experimentIdentity("AttributesQueryData", {});

export const AttributesResultData = closedObject("AttributesResultData", {
  experimentId: assignedId("The experiment."),
  name: Type.String({
    description:
      "The name in lists: `_name` of the meta if it is a text, otherwise the tag `mlflow.runName`, otherwise the slug.",
  }),
  beganAtMs: Type.Integer({ description: "When it began, as a row of the table says it." }),
  endedAtMs: nullable(
    Type.Integer({ description: "When it ended, in the same form; null: it is running." }),
  ),
  run: nullable(
    closedObject(
      "RunFacts",
      {
        user: Type.String({ description: "As the client sent it; empty: none." }),
        status: Type.String({ description: "MLflow's word, such as `KILLED`." }),
        startTimeMs: nullable(Type.Integer({ description: "By the client's clock." })),
        endTimeMs: nullable(Type.Integer({ description: "Likewise." })),
        isDeleted: Type.Boolean({ description: "MLflow's clients see it as deleted." }),
      },
      { description: "Null: MLflow's clients recorded nothing of it." },
    ),
  ),
  params: Type.Array(Attribute, {
    description: "Logged params by key, then leaves of the meta that are not params.",
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
    { description: "Data sets that the run read, in the order of logging." },
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
    { description: "Logged models that the run used, then those that it made." },
  ),
  irregularPoints: Type.Integer({
    description: "Values that only MLflow's clients read: NaN, infinities, steps below 0.",
    minimum: 0,
  }),
});
export type AttributesResultData = Type.Static<typeof AttributesResultData>;
