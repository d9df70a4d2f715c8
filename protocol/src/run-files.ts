import { limitText, partOfFile } from "./artifact-views.ts";
import { limits } from "./limits.ts";
import { artifactPath } from "./names.ts";
import { closedObject, count, milliseconds, nullable, reference } from "./schema.ts";
import * as Type from "./type.ts";

/** Files that MLflow's clients wrote to a run or a logged model, for pages. */

const owner = reference("The run, as the id of its experiment, or a logged model (`m-…`).");

export const runFilesQuery = Type.Object({
  owner,
  after: Type.Optional(
    Type.String({
      description: "`next` of the page before.",
      maxLength: limits.pathBytesMax,
      pattern: "^[\\s\\S]*$",
    }),
  ),
  limit: limitText(limits.listedRunFilesMax, limits.listedRunFilesMax),
});

export const RunFilesReply = closedObject("RunFilesReply", {
  files: Type.Array(
    closedObject("RunFile", {
      path: Type.String({ description: "Words joined by slashes." }),
      bytes: count("Its size."),
      changedAtMs: milliseconds("When it was written last."),
    }),
    { description: "Whatever their folders, in the order of the bytes of their paths." },
  ),
  next: nullable(Type.String({ description: "Pass it as `after`; null: these are the last." })),
});
export type RunFilesReply = Type.Static<typeof RunFilesReply>;

const file = artifactPath("Of the file, from the root of the run or the model on.");

export const runFileAddressQuery = Type.Object({ owner, file });

export const runFilePartQuery = Type.Object({ owner, file, ...partOfFile });
