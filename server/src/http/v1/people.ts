import type { OrganizationsReply, PeopleReply } from "@lossless/protocol";
import { writeOne } from "../../storage/storage.ts";
import { sendJson } from "../replies.ts";
import { readQuery } from "../query.ts";
import { readJsonBody } from "./v1-request.ts";
import { actorOf, organizationCaller, personCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `GET /api/v1/organizations`: those of the person who asks. */
export const listOrganizations: Route = async (_context, request, reply) => {
  const { personId, served } = personCaller(request);
  const organizations = await served.storage.read("person.organizations", { personId });
  sendJson(reply, JSON.stringify({ organizations } satisfies OrganizationsReply));
};

/** `GET /api/v1/people` */
export const listPeople: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const people = await served.storage.read("membership.list", { organizationId });
  sendJson(reply, JSON.stringify({ people } satisfies PeopleReply));
};

/** `PATCH /api/v1/people?id=` */
export const changeRole: Route = async (context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { id: personId } = readQuery("changeRole", request.raw.url);
  const { role } = await readJsonBody(context, request, "changeRole");
  const input = { organizationId, personId, role, ...actorOf(request) };
  sendJson(reply, JSON.stringify(await writeOne(served.storage, "membership.change", input)));
};

/** `DELETE /api/v1/people?id=` */
export const removePerson: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { id: personId } = readQuery("removePerson", request.raw.url);
  const input = { organizationId, personId, ...actorOf(request) };
  await writeOne(served.storage, "membership.end", input);
  void reply.code(204).send();
};
