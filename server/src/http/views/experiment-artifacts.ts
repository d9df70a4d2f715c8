import { endpointRoutes } from "../endpoint-routes.ts";

export const experimentArtifacts = endpointRoutes({
  readExperimentArtifacts({ caller: { organizationId }, query: { experimentId }, served }) {
    return served.storage.read("views.experimentArtifacts", { organizationId, experimentId });
  },
});
