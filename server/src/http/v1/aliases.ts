import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Aliases of the versions of artifacts. */
export const aliases = endpointRoutes({
  listAliases({ caller: { organizationId }, query: { artifact }, served }) {
    return served.storage.read("alias.list", { organizationId, artifact });
  },

  setAlias({ caller: { organizationId, by }, query: { artifact, alias }, body, served }) {
    const { version, expected } = body;
    const input = { organizationId, artifact, alias, version, expected, by };
    return writeOne(served.storage, "alias.set", input);
  },

  async removeAlias({ caller: { organizationId, by }, query, served }) {
    const { artifact, alias, expected } = query;
    const input = { organizationId, artifact, alias, expected, by };
    await writeOne(served.storage, "alias.remove", input);
  },

  listAliasChanges({ caller: { organizationId }, query, served }) {
    const { artifact, alias = null, before } = query;
    const input = { artifact, alias, before: before === undefined ? null : Number(before) };
    return served.storage.read("alias.history", { organizationId, ...input });
  },
});
