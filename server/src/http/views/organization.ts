import { limits } from "@lossless/protocol/limits";
import { endpointRoutes } from "../endpoint-routes.ts";
import { fitting } from "../replies/fitting.ts";

export const organizationViews = endpointRoutes({
  async readUsageView({ query, ...call }) {
    const days = query.days === undefined ? limits.usageDaysDefault : Number(query.days);
    return fitting(call, "views.usage", { days, by: query.by ?? "location" }, "days");
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
