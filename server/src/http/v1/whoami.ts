import { endpointRoutes } from "../endpoint-routes.ts";

export const whoami = endpointRoutes({
  async whoami({ caller: { organizationId: orgId, personId: userId, credential } }) {
    return { orgId, userId, credential };
  },
});
