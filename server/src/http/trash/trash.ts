import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Endpoints of the trash: moving there, restoring and purging. */
export const trash = endpointRoutes({
  async trashExperiments({ caller, body: { experimentIds }, served, context }) {
    const { organizationId, by } = caller;
    const { trashDays: daysDefault } = context.settings;
    const input = { organizationId, by, daysDefault, experimentIds };
    try {
      const { entries } = await writeOne(served.storage, "trash.experiments", input);
      return { entries };
    } finally {
      // Also when the outcome is not known: their tokens may have ended (M12).
      for (const id of experimentIds) context.callers.credentials.forget(id);
    }
  },

  async trashFolder({ caller, body: { folderId }, served, context }) {
    const { organizationId, by } = caller;
    const { trashDays: daysDefault } = context.settings;
    const input = { organizationId, by, daysDefault, folderId };
    let experiments = 0;
    for (;;) {
      const step = await writeOne(served.storage, "trash.folder", input);
      for (const id of step.experimentIds) context.callers.credentials.forget(id);
      experiments += step.experimentIds.length;
      if (step.folders > 0) return { experiments, folders: step.folders };
    }
  },

  async trashSeries({ caller, body, served, context }) {
    const { organizationId, by } = caller;
    const { trashDays: daysDefault } = context.settings;
    const input = { organizationId, by, daysDefault, ...body };
    const { entries } = await writeOne(served.storage, "trash.series", input);
    return { entries };
  },

  trashVersions({ caller, body, served, context }) {
    const { organizationId, by } = caller;
    const { trashDays: daysDefault } = context.settings;
    const input = { organizationId, by, daysDefault, ...body };
    return writeOne(served.storage, "trash.versions", input);
  },

  listTrash({ caller: { organizationId }, query: { before = null }, served }) {
    return served.storage.read("trash.list", { organizationId, before });
  },

  async restoreTrash({ caller: { organizationId, by }, body: { ids }, served }) {
    const input = { organizationId, by, ids };
    const { entries } = await writeOne(served.storage, "trash.restore", input);
    return { entries };
  },

  purgeTrash({ caller: { organizationId, by }, body: { ids }, served }) {
    return writeOne(served.storage, "trash.purge", { organizationId, by, ids });
  },

  readTrashSettings({ caller: { organizationId }, served, context }) {
    const { trashDays: daysDefault } = context.settings;
    return served.storage.read("trash.settings", { organizationId, daysDefault });
  },

  setTrashSettings({ caller: { organizationId, by }, body: { days }, served }) {
    return writeOne(served.storage, "trash.set", { organizationId, by, days });
  },

  readOrganizationContents({ caller: { organizationId }, served }) {
    return served.storage.read("trash.contents", { organizationId });
  },

  async trashOrganization({ caller: { organizationId, by }, body: { name }, served, context }) {
    const { trashDays: daysDefault } = context.settings;
    const input = { organizationId, name, daysDefault, by };
    try {
      return await writeOne(served.storage, "trash.organization", input);
    } finally {
      // Also when the outcome is not known.
      context.callers.credentials.forgetAll();
    }
  },

  async listDeletedOrganizations({ caller: { personId }, served }) {
    return { organizations: await served.storage.read("trash.organizations", { personId }) };
  },

  restoreOrganization({ caller: { personId }, body: { organizationId }, served, request }) {
    const by = { actor: personId, address: request.ip };
    const input = { organizationId, by, isOperator: false };
    return writeOne(served.storage, "trash.restoreOrganization", input);
  },

  async freeSlug({ caller: { organizationId, by }, body: { slug }, served }) {
    await writeOne(served.storage, "trash.freeSlug", { organizationId, by, slug });
  },
});
