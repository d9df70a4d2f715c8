import { endpointRoutes } from "../endpoint-routes.ts";

export const status = endpointRoutes({
  /** Returns the kind and the holder of the credential. */
  async authStatus({ caller: { organizationId: id, organizationName: name, credential: kind } }) {
    return { data: { auth: { kind }, organization: { id, name } }, error: null };
  },
});
