import { ExperimentStatus } from "./experiment.ts";
import { limits } from "./limits.ts";
import { Liveness } from "./liveness.ts";
import {
  assignedId,
  closedObject,
  count,
  milliseconds,
  nullable,
  oneOfStrings,
  reference,
} from "./schema.ts";
import * as Type from "./type.ts";

/** A long poll for a condition: answered once a test of one experiment holds. */

export const WaitBody = closedObject("WaitBody", {
  experimentId: reference("The experiment."),
  until: Type.String({
    description:
      "What is waited for: `done`, `silent`, or tests of the query language, in which a name that is no field is that of " +
      "a metric: `val/loss < 3.3`. Of a metric without a statistic the last value is tested.",
    minLength: 1,
    maxLength: limits.queryCharactersMax,
  }),
  waitMs: Type.Integer({
    description: "How long the service may wait, milliseconds; 0: it tells how the condition is.",
    minimum: 0,
    maximum: limits.changesWaitMsMax,
  }),
});
export type WaitBody = Type.Static<typeof WaitBody>;

const TestedValue = closedObject("TestedValue", {
  field: Type.String({ description: "A field of the condition, in the language's spelling." }),
  value: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()], {
    description: "As in the table of experiments; null: it has none.",
  }),
});
export type TestedValue = Type.Static<typeof TestedValue>;

const MissingMetric = closedObject("MissingMetric", {
  field: Type.String({ description: "A metric of the condition that the experiment has not." }),
  near: Type.Array(Type.String(), {
    description: "Metrics of the experiment that may be meant, the nearest first; at most three.",
  }),
});
export type MissingMetric = Type.Static<typeof MissingMetric>;

export const WaitReply = closedObject("WaitReply", {
  outcome: oneOfStrings("WaitOutcome", ["holds", "ended", "waiting"]),
  experimentId: assignedId("The experiment."),
  slug: Type.String(),
  status: ExperimentStatus,
  error: nullable(Type.String({ description: "Message of the last error event." })),
  points: count("Points stored."),
  values: Type.Array(TestedValue, { description: "What the condition tests, as it is now." }),
  missing: Type.Array(MissingMetric),
  liveness: Type.Optional(Liveness),
  atMs: milliseconds("The time at which this was so."),
});
export type WaitReply = Type.Static<typeof WaitReply>;
