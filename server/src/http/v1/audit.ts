import { limits } from "@lossless/protocol";
import { endpointRoutes } from "../endpoint-routes.ts";

const pageMax = limits.auditEventsPerPageMax;

export const audit = endpointRoutes({
  async readAudit({ caller: { organizationId }, query: { before = null }, served }) {
    const input = { organizationId, before, limit: pageMax + 1 };
    const found = await served.storage.read("audit.read", input);
    const events = found.slice(0, pageMax);
    const next = found.length > pageMax ? (events.at(-1)?.id ?? null) : null;
    return { events, next };
  },
});
