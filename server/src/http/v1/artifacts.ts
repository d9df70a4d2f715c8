import { sendJson } from "../replies.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "./v1-request.ts";
import { organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `POST /api/v1/artifacts/open` */
export const openArtifact: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { artifact } = readQuery("openArtifact", request.raw.url);
  const body = await readJsonBody(context, request, "openArtifact");
  sendJson(reply, await served.versions.open({ organizationId, artifact, ...body }));
};

/** `GET /api/v1/artifacts/list` */
export const listArtifacts: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { under = "", after = null } = readQuery("listArtifacts", request.raw.url);
  const page = await served.storage.read("artifact.list", { organizationId, under, after });
  sendJson(reply, JSON.stringify(page));
};
