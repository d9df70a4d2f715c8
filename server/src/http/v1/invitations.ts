import { joinLink } from "../../accounts/rows/people/join-link.ts";
import { writeOne } from "../../storage/storage.ts";
import { joinOrganization as join } from "../callers/join.ts";
import { sessionReply } from "./sessions.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const invitations = endpointRoutes({
  async listInvitations({ caller: { organizationId }, served }) {
    return { invitations: await served.storage.read("invitation.list", { organizationId }) };
  },

  /** Makes an invitation. The link is in this reply only. */
  async createInvitation({ caller: { organizationId, by }, body, served, context }) {
    const input = { organizationId, email: body.email ?? null, role: body.role, ...by };
    const { invitation, secret } = await writeOne(served.storage, "invitation.create", input);
    return { invitation, link: joinLink(context.baseUrl(), secret) };
  },

  async revokeInvitation({ caller: { organizationId, by }, query: { id }, served }) {
    await writeOne(served.storage, "invitation.revoke", { organizationId, id, ...by });
  },

  /** Accepts an invitation: sets the password, and signs in. */
  async acceptInvitation({ body, served, context, request, reply }) {
    return sessionReply(context, reply, await join(context, served, body, request), false);
  },
});
