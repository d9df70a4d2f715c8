import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { authenticate } from "../callers/authenticate.ts";
import { openServed, organizationCaller } from "../callers/caller.ts";
import type { HttpContext } from "../http-context.ts";
import { sendJson } from "../replies/replies.ts";
import type { Route } from "../route.ts";

/** Version of MLflow whose interface this is. */
const spoken = "3.17.2";

const mlflowVersion: Route = async (_context, _request, reply) =>
  void reply.type("text/plain; charset=utf-8").send(spoken);

/** Replies while the process lives; whether it can store, /readyz says. */
const mlflowHealth: Route = async (_context, _request, reply) =>
  void reply.type("text/plain; charset=utf-8").send("OK");

const mlflowServerInfo: Route = async (context, request, reply) => {
  const isAtBucket = await keepsFilesAtBucket(context, request);
  const info = {
    store_type: null,
    workspaces_enabled: false,
    multipart_uploads_enabled: isAtBucket,
    multipart_downloads_enabled: isAtBucket,
    trace_archival_enabled: false,
  };
  sendJson(reply, JSON.stringify(info));
};

/**
 * Whether the files of the organization go to a bucket; undisclosed to callers without a valid key.
 */
async function keepsFilesAtBucket(context: HttpContext, request: FastifyRequest): Promise<boolean> {
  if (request.headers.authorization === undefined) return false;
  try {
    await authenticate(context, "mlflowListFiles", request);
    const { organizationId } = organizationCaller(request);
    return await openServed(request).files.parts.isOffered(organizationId);
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Endpoints open to any client; only a caller with a key learns anything of an organization. */
export const serverInfo = { mlflowVersion, mlflowHealth, mlflowServerInfo };
