import type { ScimGroup } from "../../accounts/rows/sign-on/scim/group.ts";
import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import { listQuestion } from "./filter.ts";
import { groupResource, readGroup, readGroupPatch } from "./group-message.ts";
import { isWanted, listReply, narrowed } from "./resource.ts";
import { scopeOf } from "./scope.ts";

/** The groups that an identity provider sends. */
export const scimGroups = endpointRoutes({
  async scimListGroups({ caller: { organizationId }, query, served, context }) {
    const asked = listQuestion(query, ["displayName", "externalId", "id"]);
    const withMembers = isWanted("members", query);
    const { total, resources } = await served.storage.read("scim.listGroups", {
      organizationId,
      ...asked,
      withMembers,
    });
    const shown = resources.map((group) => narrowed(resourceOf(context, group), query));
    return listReply(total, asked, shown);
  },

  async scimReadGroup({ caller: { organizationId }, query, served, context, request }) {
    const withMembers = isWanted("members", query);
    const input = { organizationId, id: idOf(request), withMembers };
    const group = await served.storage.read("scim.readGroup", input);
    return narrowed(resourceOf(context, group), query);
  },

  async scimCreateGroup({ body, served, context, request, reply }) {
    const input = { scope: scopeOf(request), group: readGroup(body) };
    const group = await writeOne(served.storage, "scim.createGroup", input);
    void reply.header("location", addressIn(context)("Groups", group.id));
    return narrowed(resourceOf(context, group), {});
  },

  async scimReplaceGroup({ caller: { organizationId }, body, served, context, request }) {
    const id = idOf(request);
    const input = { scope: scopeOf(request), id, change: readGroup(body) };
    await writeOne(served.storage, "scim.changeGroup", input);
    const read = { organizationId, id, withMembers: true };
    return narrowed(resourceOf(context, await served.storage.read("scim.readGroup", read)), {});
  },

  async scimChangeGroup({ body, served, request }) {
    const input = { scope: scopeOf(request), id: idOf(request), change: readGroupPatch(body) };
    await writeOne(served.storage, "scim.changeGroup", input);
  },

  async scimDeleteGroup({ served, request }) {
    const input = { scope: scopeOf(request), id: idOf(request) };
    await writeOne(served.storage, "scim.deleteGroup", input);
  },
});

function idOf({ params }: { params: unknown }): string {
  return (params as { groupId: string }).groupId;
}

type Addressed = { baseUrl: () => string };

function addressIn({ baseUrl }: Addressed) {
  return (kind: "Users" | "Groups", id: string) => `${baseUrl()}/scim/v2/${kind}/${id}`;
}

function resourceOf(context: Addressed, group: ScimGroup): Record<string, unknown> {
  return groupResource(group, addressIn(context));
}
