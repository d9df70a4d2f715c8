import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

export const people = endpointRoutes({
  /** Lists the organizations of the caller. */
  async listOrganizations({ caller: { personId, onlyOrganization }, served }) {
    const input = { personId, onlyOrganization };
    return { organizations: await served.storage.read("person.organizations", input) };
  },

  async listPeople({ caller: { organizationId }, served }) {
    return { people: await served.storage.read("membership.list", { organizationId }) };
  },

  changeRole({ caller: { organizationId, by }, query: { id: personId }, body: { role }, served }) {
    const input = { organizationId, personId, role, ...by };
    return writeOne(served.storage, "membership.change", input);
  },

  async removePerson({ caller: { organizationId, by }, query: { id: personId }, served }) {
    await writeOne(served.storage, "membership.end", { organizationId, personId, ...by });
  },
});
