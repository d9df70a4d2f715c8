import { endpoints } from "@lossless/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FileEntry } from "../../artifacts/rows/mlflow/list.ts";
import type { FileName } from "../../artifacts/rows/mlflow/file.ts";
import { ServiceError } from "../../ground/errors.ts";
import { closeAfterReply } from "../replies/broken-requests.ts";
import { openServed, organizationCaller } from "../callers/caller.ts";
import type { HttpContext } from "../http-context.ts";
import { sendObject } from "../replies/object-reply.ts";
import { partBody } from "../bodies/part-body.ts";
import { sendJson } from "../replies/replies.ts";
import type { Route } from "../route.ts";
import { fileHeaders } from "./file-headers.ts";
import {
  checkPathLength,
  fileWords,
  folderWords,
  pathInAddress,
  servedPath,
  type ServedPath,
} from "./file-path.ts";
import { readAddress, required, text } from "./message.ts";
import { answered, mlflow, requireDefaultWorkspace } from "./mlflow.ts";

const prefix = endpoints.mlflowPutFile.path.replace("{path}", "");

/**
 * Stores a file; the reply is sent when it is on stable storage, and readers of its path get it.
 */
const mlflowPutFile: Route = async (context, request, reply) => {
  requireDefaultWorkspace(request.headers["x-mlflow-workspace"]);
  const served = addressed(request);
  if (served.path === "") throw new ServiceError("bad_request", "Invalid path");
  await takeFile(context, request, reply, served);
};

/** Takes the body of a request as a file; replies when it is on stable storage. */
export async function takeFile(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { owner, path }: ServedPath,
): Promise<void> {
  const { organizationId } = organizationCaller(request);
  const { files } = openServed(request);
  const { "content-length": length, "content-encoding": encoding } = request.raw.headers;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    throw new ServiceError(
      "unsupported_media_type",
      "The body is stored as it is sent: it must not have a content-encoding.",
    );
  }
  const { socket } = request.raw;
  const { longBodies } = request.server;
  longBodies.add(socket);
  try {
    const isChunked = request.raw.headers["transfer-encoding"] !== undefined;
    const sizeBytes = isChunked ? undefined : Number(length ?? 0);
    const body = partBody(request.raw, context.bodies.partWatch);
    await files.put({ organizationId, owner, path, sizeBytes, body });
    closeAfterReply(request.raw, reply);
    sendJson(reply, "{}");
  } finally {
    longBodies.delete(socket);
  }
}

const mlflowReadFile: Route = async (context, request, reply) => {
  requireDefaultWorkspace(request.headers["x-mlflow-workspace"]);
  await sendRunFile(context, request, reply, addressed(request));
};

const mlflowGetRunFile: Route = async (context, request, reply) => {
  requireDefaultWorkspace(request.headers["x-mlflow-workspace"]);
  const fields = { run_id: required(text), path: required(text) };
  const { run_id: owner, path } = readAddress(fields, request.raw.url ?? "");
  await sendRunFile(context, request, reply, { owner, path: fileWords(path).join("/") });
};

/** Sends a file of a run or a model: its bytes, or 307 to their address. */
export async function sendRunFile(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { owner, path }: ServedPath,
): Promise<void> {
  const { organizationId } = organizationCaller(request);
  const name: FileName = { organizationId, owner, path };
  const found = await openServed(request).files.open(name);
  if ("object" in found)
    return sendObject(context, request, reply, found.object, fileHeaders(path));
  void reply.code(307).header("location", found.url).send();
}

const mlflowDeleteFiles: Route = async (_context, request, reply) => {
  const { organizationId } = organizationCaller(request);
  requireDefaultWorkspace(request.headers["x-mlflow-workspace"]);
  await openServed(request).files.delete({ organizationId, ...addressed(request) });
  sendJson(reply, "{}");
};

export const files = {
  mlflowPutFile,
  mlflowReadFile,
  mlflowGetRunFile,
  mlflowDeleteFiles,
  ...mlflow({
    mlflowListFiles: answered(
      { path: text },
      async ({ organizationId, message: { path = "" }, served: { storage } }) => {
        const served = servedPath(folderWords(path));
        return { files: listed(await storage.read("file.list", { organizationId, ...served })) };
      },
    ),

    mlflowListRunFiles: answered(
      { run_id: required(text), path: text },
      async ({ organizationId, message: given, served: { storage } }) => {
        const { run_id: owner } = given;
        const path = folderWords(given.path ?? "").join("/");
        const { artifactUri } = await storage.read("run.read", { organizationId, runId: owner });
        if (!/^mlflow-artifacts:/i.test(artifactUri)) {
          throw new ServiceError(
            "not_implemented",
            "Lossless does not read this artifact location; clients go there by themselves.",
          );
        }
        const found = await storage.read("file.list", { organizationId, owner, path });
        return { root_uri: artifactUri, files: listed(found, path) };
      },
    ),
  }),
};

function addressed({ raw }: FastifyRequest): ServedPath {
  return pathBehind(prefix, raw.url ?? "");
}

/** Returns the file named by the rest of an address. */
export function pathBehind(fixed: string, target: string): ServedPath {
  const served = servedPath(fileWords(pathInAddress(target, fixed)));
  checkPathLength(served.path);
  return served;
}

/** Returns the listing of entries; undefined where there are none. */
export function listed(entries: readonly FileEntry[], folder = ""): object[] | undefined {
  if (entries.length === 0) return undefined;
  return entries.map(({ name, bytes }) => ({
    path: folder === "" ? name : `${folder}/${name}`,
    is_dir: bytes === undefined,
    file_size: bytes,
  }));
}
