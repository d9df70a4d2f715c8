import { writeOne } from "../../storage/storage.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/**
 * Endpoints of retention rules, by which old or surplus records are moved to the trash
 * automatically.
 */
export const retention = endpointRoutes({
  listRetentionRules({ caller: { organizationId }, served }) {
    return served.storage.read("retention.list", { organizationId });
  },

  createRetentionRule({ caller: { organizationId, by }, body, served }) {
    return writeOne(served.storage, "retention.create", { organizationId, by, ...body });
  },

  changeRetentionRule({ caller: { organizationId, by }, query: { id }, body, served }) {
    return writeOne(served.storage, "retention.change", { organizationId, by, id, ...body });
  },

  async deleteRetentionRule({ caller: { organizationId, by }, query: { id, revision }, served }) {
    const input = { organizationId, by, id, revision: Number(revision) };
    await writeOne(served.storage, "retention.delete", input);
  },

  async tryRetentionRule({ caller: { organizationId }, body, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    const read = await replies.read(served.storage, "retention.try", { organizationId, body });
    return read.pieces;
  },
});
