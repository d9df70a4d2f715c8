import type { AuditQuery } from "@lossless/client";

/** Filters in the address of the audit page. Days are in the person's time zone. */
export interface AuditAddress {
  action: string | undefined;
  actor: string | undefined;
  subject: string | undefined;
  /** YYYY-MM-DD, the first and the last day shown. */
  since: string | undefined;
  until: string | undefined;
}

export const auditParameters = ["action", "actor", "subject", "since", "until"] as const;

export function auditAddress(parameter: (name: string) => string | undefined): AuditAddress {
  return {
    action: parameter("action"),
    actor: parameter("actor"),
    subject: parameter("subject"),
    since: dayIn(parameter("since")),
    until: dayIn(parameter("until")),
  };
}

/** The query for the service; it includes the whole last day. */
export function auditQuery({ action, actor, subject, since, until }: AuditAddress): AuditQuery {
  return {
    action,
    actor,
    subject,
    sinceMs: since === undefined ? undefined : startOf(since, 0),
    untilMs: until === undefined ? undefined : startOf(until, 1),
  };
}

/** Returns a valid day: the address may have been typed. */
function dayIn(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  return startOf(text, 0) >= 0 ? text : undefined;
}

function startOf(day: string, daysLater: number): number {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  return new Date(year, month - 1, date + daysLater).getTime();
}
