import type { RequestQuery } from "@lossless/protocol";
import type { ReaderPlace } from "../../versions/record.ts";
import { sendJson } from "../replies.ts";
import { readQuery } from "../query.ts";
import { readJsonBody, readMetaBody } from "./v1-request.ts";
import { organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `POST /api/v1/versions/begin` */
export const beginVersion: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { artifact, version } = readQuery("beginVersion", request.raw.url);
  const body = await readMetaBody(context, request, "beginVersion");
  const text = await served.versions.begin({ organizationId, artifact, version, ...body });
  sendJson(reply, text, 201);
};

/** `POST /api/v1/versions/resign` */
export const resignUpload: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { artifact, upload } = readQuery("resignUpload", request.raw.url);
  const { epoch } = await readJsonBody(context, request, "resignUpload");
  const input = { organizationId, artifact, uploadId: upload, epoch };
  sendJson(reply, await served.versions.resign(input));
};

/** `POST /api/v1/versions/commit` */
export const commitUpload: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { artifact, upload } = readQuery("commitUpload", request.raw.url);
  const body = await readJsonBody(context, request, "commitUpload");
  const input = { organizationId, artifact, uploadId: upload, ...body };
  sendJson(reply, JSON.stringify(await served.versions.commit(input)));
};

/** `GET /api/v1/versions/read` */
export const readVersion: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const query = readQuery("readVersion", request.raw.url);
  const { artifact, version } = query;
  const input = { organizationId, artifact, version, ...readerOf(query) };
  sendJson(reply, await served.versions.read(input));
};

/** `GET /api/v1/versions/list` */
export const listVersions: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const query = readQuery("listVersions", request.raw.url);
  const { artifact, after } = query;
  const input = { organizationId, artifact, after: after || null, ...readerOf(query) };
  sendJson(reply, await served.versions.list(input));
};

function readerOf({ urls, cloud, region }: RequestQuery<"readVersion" | "listVersions">): {
  urls: boolean;
  place: ReaderPlace;
} {
  const place = {
    ...(cloud === undefined ? {} : { cloud }),
    ...(region === undefined ? {} : { region }),
  };
  return { urls: urls === "1", place };
}
