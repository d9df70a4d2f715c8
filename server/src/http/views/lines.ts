import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "./fitting.ts";

/** Endpoints for the lines of charts, and the numbers under them. */
export const lines = endpointRoutes({
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
