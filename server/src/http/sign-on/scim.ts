import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Whether the identity provider may send people, and the token that it uses. */
export const scim = endpointRoutes({
  async readScim({ caller: { organizationId }, served, context }) {
    const found = await served.storage.read("scim.read", { organizationId });
    return { address: baseAddress(context), ...found };
  },

  /** The secret is in this reply only. */
  async createScimToken({ caller: { organizationId, by }, served, context }) {
    const made = await writeOne(served.storage, "scim.createToken", { organizationId, by });
    return { secret: made.secret, scim: { address: baseAddress(context), ...made.scim } };
  },

  async endScim({ caller: { organizationId, by }, served }) {
    await writeOne(served.storage, "scim.end", { organizationId, by });
  },
});

function baseAddress({ baseUrl }: { baseUrl: () => string }): string {
  return `${baseUrl()}/scim/v2`;
}
