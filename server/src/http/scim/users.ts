import type { ScimUser } from "../../accounts/rows/sign-on/scim/user.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { scopeOf } from "./scope.ts";
import { listQuestion } from "./filter.ts";
import { listReply, narrowed } from "./resource.ts";
import { readUser, readUserPatch, userResource } from "./user-message.ts";

/** The users that an identity provider sends. */
export const scimUsers = endpointRoutes({
  async scimListUsers({ caller: { organizationId }, query, served, context }) {
    const asked = listQuestion(query, ["userName", "externalId", "id"]);
    const { total, resources } = await served.storage.read("scim.listUsers", {
      organizationId,
      ...asked,
    });
    const shown = resources.map((user) => narrowed(resourceOf(context, user), query));
    return listReply(total, asked, shown);
  },

  async scimReadUser({ caller: { organizationId }, query, served, context, request }) {
    const user = await served.storage.read("scim.readUser", { organizationId, id: idOf(request) });
    return narrowed(resourceOf(context, user), query);
  },

  async scimCreateUser({ body, served, context, request, reply }) {
    const { active = true, ...fields } = readUser(body);
    const input = { scope: scopeOf(request), user: { ...fields, active } };
    const user = await writeOne(served.storage, "scim.createUser", input);
    void reply.header("location", locationOf(context, user.id));
    return narrowed(resourceOf(context, user), {});
  },

  async scimReplaceUser({ body, served, context, request }) {
    const input = { scope: scopeOf(request), id: idOf(request), change: readUser(body) };
    const user = await writeOne(served.storage, "scim.changeUser", input);
    return narrowed(resourceOf(context, user), {});
  },

  async scimChangeUser({ body, served, context, request }) {
    const input = { scope: scopeOf(request), id: idOf(request), change: readUserPatch(body) };
    const user = await writeOne(served.storage, "scim.changeUser", input);
    return narrowed(resourceOf(context, user), {});
  },

  async scimDeleteUser({ served, request }) {
    const input = { scope: scopeOf(request), id: idOf(request) };
    await writeOne(served.storage, "scim.deleteUser", input);
  },
});

function idOf({ params }: { params: unknown }): string {
  return (params as { userId: string }).userId;
}

type Addressed = { baseUrl: () => string };

function locationOf({ baseUrl }: Addressed, id: string): string {
  return `${baseUrl()}/scim/v2/Users/${id}`;
}

function resourceOf(context: Addressed, user: ScimUser): Record<string, unknown> {
  return userResource(user, locationOf(context, user.id));
}
