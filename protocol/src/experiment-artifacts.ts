import { limits } from "./limits.ts";
import { assignedId, closedObject, count, milliseconds, nullable, reference } from "./schema.ts";
import * as Type from "./type.ts";

/** Versions written by an experiment: those whose meta names it, as our clients write them. */

export const experimentArtifactsQuery = Type.Object({
  experimentId: reference("The experiment; an unknown id has no versions."),
});

export const ExperimentArtifactsReply = closedObject("ExperimentArtifactsReply", {
  versions: Type.Array(
    closedObject("ExperimentVersion", {
      artifact: Type.String({ description: "Its path." }),
      version: Type.String(),
      step: nullable(count("The step in the version's meta; null: there is none.")),
      committedAtMs: milliseconds("When it was committed."),
      bytes: count("Its files together."),
      files: count("How many they are."),
      epoch: count("The epoch of its writer."),
    }),
    { description: `Newest first, at most ${limits.experimentVersionsMax.toLocaleString("en")}.` },
  ),
  truncated: Type.Boolean({ description: "True: there are older ones that are not listed." }),
  uploads: Type.Array(
    closedObject("ExperimentUpload", {
      artifact: Type.String({ description: "Its path." }),
      version: Type.String(),
      upload: assignedId("The upload."),
      beganAtMs: milliseconds("When it began."),
      bytes: count("Its files together."),
      files: count("How many they are."),
    }),
    {
      description: `Uploads under way, newest first, at most ${limits.experimentUploadsMax}.`,
    },
  ),
});
export type ExperimentArtifactsReply = Type.Static<typeof ExperimentArtifactsReply>;
