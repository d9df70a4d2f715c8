import type { Connection } from "@lossless/protocol";
import { connectionRecord } from "../../connections/record.ts";
import type { StoredConnection } from "../../connections/stored-connection.ts";
import { writeOne } from "../../storage/storage.ts";
import { sendJson } from "../replies.ts";
import type { HttpContext } from "../http-context.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "./v1-request.ts";
import { actorOf, organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `POST /api/v1/connections`: a pending one with its setup script; no cloud is asked. */
export const createConnection: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { cloud, name } = await readJsonBody(context, request, "createConnection");
  const input = { organizationId, cloud, name, by: actorOf(request) };
  const stored = await writeOne(served.storage, "connection.create", input);
  sendJson(reply, JSON.stringify(recordOf(stored, context)), 201);
};

/** `PUT /api/v1/connections`: replies when the cloud has accepted a token, within 35 s. */
export const completeConnection: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { id } = readQuery("completeConnection", request.raw.url);
  const body = await readJsonBody(context, request, "completeConnection");
  const by = actorOf(request);
  const stored = await served.connections.complete({ organizationId, id, body, by });
  sendJson(reply, JSON.stringify(recordOf(stored, context)));
};

/** `DELETE /api/v1/connections` */
export const deleteConnection: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { id } = readQuery("deleteConnection", request.raw.url);
  const input = { organizationId, id, by: actorOf(request) };
  await writeOne(served.storage, "connection.remove", input);
  void reply.code(204).send();
};

function recordOf(stored: StoredConnection, { issuerUrl, baseUrl }: HttpContext): Connection {
  return connectionRecord(stored, { issuer: issuerUrl(), baseUrl: baseUrl() });
}
