import type { CreateInvitationReply, InvitationsReply } from "@lossless/protocol";
import { joinLink } from "../../people/join-link.ts";
import { writeOne } from "../../storage/storage.ts";
import { sendJson } from "../replies.ts";
import { acceptInvitation as join } from "../callers/join.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "./v1-request.ts";
import { actorOf, openServed, organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";
import { sendSession } from "./sessions.ts";

/** `GET /api/v1/invitations` */
export const listInvitations: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const invitations = await served.storage.read("invitation.list", { organizationId });
  sendJson(reply, JSON.stringify({ invitations } satisfies InvitationsReply));
};

/** `POST /api/v1/invitations`: the link is in this reply only. */
export const createInvitation: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { email = null, role } = await readJsonBody(context, request, "createInvitation");
  const input = { organizationId, email, role, ...actorOf(request) };
  const { invitation, secret } = await writeOne(served.storage, "invitation.create", input);
  const body: CreateInvitationReply = { invitation, link: joinLink(context.baseUrl(), secret) };
  sendJson(reply, JSON.stringify(body), 201);
};

/** `DELETE /api/v1/invitations?id=` */
export const revokeInvitation: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { id } = readQuery("revokeInvitation", request.raw.url);
  await writeOne(served.storage, "invitation.revoke", {
    organizationId,
    id,
    ...actorOf(request),
  });
  void reply.code(204).send();
};

/** `POST /api/v1/invitations/accept`: sets the password, and signs in. */
export const acceptInvitation: Route = async (context, request, reply) => {
  const served = openServed(request);
  const input = await readJsonBody(context, request, "acceptInvitation");
  sendSession(context, reply, await join(context, served, input, request.ip), false);
};
