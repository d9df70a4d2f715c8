import { v1 } from "./v1.ts";

export const whoami = v1({
  async whoami({ caller: { organizationId: orgId, personId: userId, credential } }) {
    return { orgId, userId, credential };
  },
});
