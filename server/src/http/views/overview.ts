import { ServiceError } from "../../ground/errors.ts";
import { readEndpointBody } from "../endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

const views = endpointRoutes(readEndpointBody);

export const overview = views({
  async readOverview({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.readReplies.of(organizationId, request, reply);
    try {
      const input = { organizationId, body };
      const { pieces } = await replies.read(served.storage, "views.overview", input);
      return pieces;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "result_too_large") throw error;
      throw new ServiceError("bad_request", `${error.message} Ask for fewer series or columns.`);
    }
  },
});
