import { readEndpointBody } from "../bodies/endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "./fitting.ts";

const views = endpointRoutes(readEndpointBody);

/** Endpoints for the lines of charts, and the numbers under them. */
export const lines = views({
  async readOverview({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.overview", input), "series or columns");
  },
  async readPoints({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    const input = { organizationId, body };
    return fitting(replies.read(served.storage, "views.points", input), "series or points");
  },
});
