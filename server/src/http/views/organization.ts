import { limits } from "@lossless/protocol/limits";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "./fitting.ts";

export const organizationViews = endpointRoutes({
  async readUsageView({ caller: { organizationId }, query, served, context, request, reply }) {
    const replies = context.replies.reads.of(organizationId, request, reply);
    const days = query.days === undefined ? limits.usageDaysDefault : Number(query.days);
    const input = { organizationId, days, by: query.by ?? "location" };
    return fitting(replies.read(served.storage, "views.usage", input), "days");
  },

  readAuditView({ caller: { organizationId }, query, served }) {
    const { action = null, actor = null, subject = null, since, until, before = null } = query;
    const [sinceMs, untilMs] = [since, until].map((ms) => (ms === undefined ? null : Number(ms)));
    const input = { organizationId, action, actor, subject, sinceMs, untilMs, before };
    return served.storage.read("views.audit", input);
  },

  readAuditTerms({ caller: { organizationId }, served }) {
    return served.storage.read("views.auditTerms", { organizationId });
  },
});
