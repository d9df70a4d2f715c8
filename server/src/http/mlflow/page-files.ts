import { endpoints, missingPart } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import type { Route } from "../route.ts";
import { checkPathLength, fileWords, folderWords } from "./file-path.ts";
import { listed, sendRunFile, takeFile } from "./files.ts";
import { invalid, readAddress, text } from "./message.ts";
import { answered, mlflow, requireDefaultWorkspace } from "./mlflow.ts";

/** Maximum size of a file that MLflow's pages send in this way. */
const pageFileBytesMax = 10 * 1_048_576;

const mlflowReadModelFile: Route = async (context, request, reply) => {
  requireDefaultWorkspace(request.headers["x-mlflow-workspace"]);
  const { modelId: owner } = request.params as { modelId: string };
  const { artifact_file_path: path = "" } = readAddress(
    { artifact_file_path: text },
    request.raw.url ?? "",
  );
  if (path === "") {
    throw new ServiceError(
      "validation_failed",
      'Request must include the "artifact_file_path" query parameter.',
    );
  }
  await sendRunFile(context, request, reply, { owner, path: fileWords(path).join("/") });
};

const mlflowPutRunFile: Route = async (context, request, reply) => {
  requireDefaultWorkspace(request.headers["x-mlflow-workspace"]);
  const fields = { run_uuid: text, path: text };
  const { run_uuid: owner = "", path: given = "" } = readAddress(fields, request.raw.url ?? "");
  if (owner === "") throw invalid("Request must specify run_uuid.");
  if (given === "") throw invalid("Request must specify path.");
  const path = fileWords(given).join("/");
  checkPathLength(path);
  const { "content-length": length, "transfer-encoding": encoding } = request.raw.headers;
  if (Number(length ?? 0) > pageFileBytesMax)
    throw invalid("Artifact size is too large. Max size is 10MB.");
  if (encoding === undefined && Number(length ?? 0) === 0)
    throw invalid("Request must specify data.");
  await takeFile(context, request, reply, { owner, path });
};

/** Refuses a path that climbs as MLflow's server refuses it, regardless of its other content. */
const mlflowGetVersionFile: Route = async (_context, request) => {
  const { path = "" } = readAddress({ path: text }, request.raw.url ?? "");
  folderWords(path);
  throw new ServiceError("not_implemented", missingPart(endpoints.mlflowGetVersionFile.path)!);
};

/** Files as MLflow's pages ask for them and send them. */
export const pageFiles = {
  mlflowReadModelFile,
  mlflowPutRunFile,
  mlflowGetVersionFile,
  ...mlflow({
    mlflowListModelFiles: answered(
      { artifact_directory_path: text },
      async ({ organizationId, params: { modelId }, message: given, served: { storage } }) => {
        const path = folderWords(given.artifact_directory_path ?? "").join("/");
        const asked = { organizationId, modelId, isDeletedToo: false };
        const { artifactUri } = await storage.read("model.read", asked);
        const found = await storage.read("file.list", { organizationId, owner: modelId, path });
        return { root_uri: artifactUri, files: listed(found, path) };
      },
    ),
  }),
};
