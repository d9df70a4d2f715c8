import { ServiceError } from "../../ground/errors.ts";
import { readEndpointBody } from "../endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import type { JsonBytes } from "../read-replies.ts";

const views = endpointRoutes(readEndpointBody);

/** What charts draw, and the numbers under it. */
export const lines = views({
  async readOverview({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.readReplies.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.overview", input), "series or columns");
  },
  async readPoints({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.readReplies.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.points", input), "series or points");
  },
});

/** v1 has no code of its own for what is larger than one reply may be. */
async function fitting(read: Promise<JsonBytes>, what: string): Promise<readonly Uint8Array[]> {
  try {
    return (await read).pieces;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "result_too_large") throw error;
    throw new ServiceError("bad_request", `${error.message} Ask for fewer ${what}.`);
  }
}
