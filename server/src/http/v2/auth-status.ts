import { readEndpointBody } from "../bodies/endpoint-body.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const status = endpointRoutes(readEndpointBody)({
  /** Says which kind of credential was sent, and whose. */
  async authStatus({ caller: { organizationId: id, organizationName: name, credential: kind } }) {
    return { data: { auth: { kind }, organization: { id, name } }, error: null };
  },
});
