import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";

/** Endpoints for media, texts and histograms over steps. */
export const logged = endpointRoutes({
  readLoggedNames: ({ body, ...call }) =>
    fitting(call, "views.loggedNames", { body }, "experiments"),
  readLoggedSteps: ({ body, ...call }) =>
    fitting(call, "views.loggedSteps", { body }, "experiments or series"),
  readLoggedNearest: ({ body, ...call }) =>
    fitting(call, "views.loggedNearest", { body }, "experiments or series"),
  readLoggedItems: ({ body, ...call }) => fitting(call, "views.loggedItems", { body }, "items"),
  readLoggedTexts: ({ body, ...call }) => fitting(call, "views.loggedTexts", { body }, "states"),
  readLoggedHistograms: ({ body, ...call }) =>
    fitting(call, "views.loggedHistograms", { body }, "experiments, columns or bins"),
});
