import { ExperimentStatus } from "./experiment.ts";
import { limits } from "./limits.ts";
import { Liveness } from "./liveness.ts";
import { closedObject, count, milliseconds, reference } from "./schema.ts";
import { metaVersion, seriesVersion } from "./series.ts";
import * as Type from "./type.ts";

/** A long poll for changes: answered once something differs from the state the page last saw. */

export const ChangesBody = closedObject("ChangesBody", {
  experiments: Type.Array(
    closedObject("SeenExperiment", {
      experimentId: reference("The experiment; an unknown id never changes."),
      revision: count("The revision that the client knows; 0 for none, which is answered at once."),
    }),
    {
      description: "May be empty; of a repeated id the last one counts.",
      maxItems: limits.experimentIdsMax,
    },
  ),
  opened: Type.Optional(
    reference(
      "`opened` of the last reply: then an experiment that is opened for the first time is a change too.",
    ),
  ),
  waitMs: Type.Integer({
    description: "How long the service may wait for a change, milliseconds.",
    minimum: 0,
    maximum: limits.changesWaitMsMax,
  }),
});
export type ChangesBody = Type.Static<typeof ChangesBody>;

const ChangedExperiment = closedObject("ChangedExperiment", {
  experimentId: Type.String(),
  revision: count("Grows with every change; the same as in query.revisions."),
  points: count("Points of all its series."),
  seriesVersion,
  metaVersion,
  status: ExperimentStatus,
  statusAtMs: milliseconds("Last start, done or error; before the first one, when it was opened."),
  updatedAtMs: milliseconds("Last open, move, edit, start, done or error."),
  appendedAtMs: milliseconds(
    "When points were last stored; before the first one, when it was opened.",
  ),
  liveness: Type.Optional(Liveness),
});
export type ChangedExperiment = Type.Static<typeof ChangedExperiment>;

export const ChangesReply = closedObject("ChangesReply", {
  experiments: Type.Array(ChangedExperiment, {
    description: "Experiments with another revision than the client's.",
  }),
  opened: Type.String({ description: "For the next request; opaque." }),
  openedExperiments: count(
    "Experiments of the organization that were opened for the first time, deleted or restored since; 0 without `opened`.",
  ),
});
export type ChangesReply = Type.Static<typeof ChangesReply>;
