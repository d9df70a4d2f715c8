import { limits } from "@lossless/protocol";
import type { AuditReply } from "@lossless/protocol";
import { sendJson } from "../replies.ts";
import { readQuery } from "../query.ts";
import { organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

const pageMax = limits.auditEventsPerPageMax;

/** `GET /api/v1/audit` */
export const readAudit: Route = async (_context, request, reply) => {
  const { organizationId, served } = organizationCaller(request);
  const { before = null } = readQuery("readAudit", request.raw.url);
  const input = { organizationId, before, limit: pageMax + 1 };
  const found = await served.storage.read("audit.read", input);
  const events = found.slice(0, pageMax);
  const next = found.length > pageMax ? (events.at(-1)?.id ?? null) : null;
  sendJson(reply, JSON.stringify({ events, next } satisfies AuditReply));
};
