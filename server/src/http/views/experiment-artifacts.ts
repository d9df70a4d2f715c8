import { readEndpointBody } from "../bodies/endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

const views = endpointRoutes(readEndpointBody);

export const experimentArtifacts = views({
  readExperimentArtifacts({ caller: { organizationId }, query: { experimentId }, served }) {
    return served.storage.read("views.experimentArtifacts", { organizationId, experimentId });
  },
});
