import { FileAddressReply, limitText, partOfFile } from "./artifact-views.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import { artifactPath } from "./names.ts";
import { closedObject, count, milliseconds, nullable, reference } from "./schema.ts";
import * as Type from "./type.ts";
import { extensionRead, readErrors } from "./v1-endpoint.ts";

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

const errors = [...readErrors, "not_found"] as const;
/** Errors of endpoints that talk to a store. */
const stored = [...errors, "upstream", "data_corrupted"] as const;

/** The files of runs and logged models for pages. All are reads, so each is safe to repeat. */
export const runViewEndpoints = {
  viewRunFiles: {
    ...extensionRead,
    path: "/api/views/v1/run-files",
    summary: "The files that MLflow's clients wrote to a run or a logged model, by path.",
    query: runFilesQuery,
    reply: { kind: "json", status: 200, schema: RunFilesReply },
    errors,
  },
  readRunFileAddress: {
    ...extensionRead,
    path: "/api/views/v1/run-file-address",
    summary: "Signs one of these files: an address to fetch it from.",
    about: "It counts as a read of that file in the usage.",
    query: runFileAddressQuery,
    reply: { kind: "json", status: 200, schema: FileAddressReply },
    errors: stored,
  },
  readRunFilePart: {
    ...extensionRead,
    path: "/api/views/v1/run-file",
    summary: "Some bytes of one of these files, for a preview; x-svc-file-bytes is its size.",
    about:
      `At most ${limits.filePartBytesMax} bytes, through the service. It counts as a read of the bytes that are ` +
      "sent. With a session cookie only a page of the service may ask for it.",
    query: runFilePartQuery,
    reply: { kind: "bytes", status: 200 },
    errors: stored,
  },
} as const satisfies Record<string, EndpointDefinition>;
