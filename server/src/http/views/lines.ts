import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";

/** Endpoints for the lines of charts, and the numbers under them. */
export const lines = endpointRoutes({
  readOverview: ({ body, ...call }) =>
    fitting(call, "views.overview", { body }, "series or columns"),
  readGroups: ({ body, ...call }) => fitting(call, "views.groups", { body }, "groups or columns"),
  readPoints: ({ body, ...call }) => fitting(call, "views.points", { body }, "series or points"),
});
