import type { Connection } from "@lossless/protocol";
import { connectionRecord } from "../../places/rows/connections/record.ts";
import type { StoredConnection } from "../../places/rows/connections/stored-connection.ts";
import { writeOne } from "../../storage/storage.ts";
import type { HttpContext } from "../http-context.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const connections = endpointRoutes({
  /** Makes a pending connection with its setup script; no cloud is called. */
  async createConnection({ caller: { organizationId, by }, body, served, context }) {
    const input = { organizationId, cloud: body.cloud, name: body.name, by };
    return recordOf(await writeOne(served.storage, "connection.create", input), context);
  },

  /** Completes a connection; replies when the cloud has accepted a token, within 35 s. */
  async completeConnection({
    caller: { organizationId, by },
    query: { id },
    body,
    served,
    context,
  }) {
    return recordOf(await served.connections.complete({ organizationId, id, body, by }), context);
  },

  async deleteConnection({ caller: { organizationId, by }, query: { id }, served }) {
    await writeOne(served.storage, "connection.remove", { organizationId, id, by });
  },
});

function recordOf(stored: StoredConnection, { issuerUrl, baseUrl }: HttpContext): Connection {
  return connectionRecord(stored, { issuer: issuerUrl(), baseUrl: baseUrl() });
}
