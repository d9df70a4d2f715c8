import type { AuditTermsReply, AuditViewReply } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { firstIdAt } from "../../ground/ids.ts";
import { readShownNames } from "../../experiments/mlflow/shown-names.ts";

export interface AuditQuestion {
  organizationId: string;
  action: string | null;
  actor: string | null;
  subject: string | null;
  sinceMs: number | null;
  untilMs: number | null;
  before: string | null;
}

type Event = AuditViewReply["events"][number];
type Name = "actor" | "subject";
type Row = Omit<Event, "at" | "details" | `${Name}Name`> & { at: number; details: string } & {
  [Each in `${Name}_named` | `${Name}_email`]: string | null;
};

/** `views.audit`: a page of the organization's log for a search, newest first. */
export async function readAuditView(
  reader: Reader,
  question: AuditQuestion,
): Promise<AuditViewReply> {
  const { organizationId, action, actor, subject, sinceMs, untilMs, before } = question;
  const values: (string | number)[] = [];
  const given = (value: string | number) => `$${values.push(value)}`;
  const tests = [`audit.organization = ${given(organizationId)}`, reader.inTime("audit")];
  const isNoun = action !== null && !action.includes(".");
  // "/" is the character behind ".": nouns are followed by a point.
  if (isNoun)
    tests.push(`audit.action >= ${given(`${action}.`)}`, `audit.action < ${given(`${action}/`)}`);
  else if (action !== null) tests.push(`audit.action = ${given(action)}`);
  if (actor !== null) tests.push(`audit.actor = ${given(actor)}`);
  if (subject !== null) tests.push(`audit.subject = ${given(subject)}`);
  // Ids begin with their time, and the log is read in their order.
  if (sinceMs !== null) tests.push(`audit.id >= ${given(firstIdAt(sinceMs))}`);
  if (untilMs !== null) tests.push(`audit.id < ${given(firstIdAt(untilMs))}`);
  if (before !== null) tests.push(`audit.id < ${given(before)}`);
  const max = limits.auditViewEventsMax;
  const rows = await reader.all<Row>(
    `SELECT audit.id, audit.at_ms AS at, audit.action, audit.actor, audit.subject, audit.address, audit.details,
       ${namesOf("audit.actor", ["actor_named", "actor_email"])},
       ${namesOf("audit.subject", ["subject_named", "subject_email"])}
     FROM audit WHERE ${tests.join(" AND ")} ORDER BY audit.id DESC LIMIT ${given(max + 1)}`,
    ...values,
  );
  const events = rows.slice(0, max).map(eventOf);
  const ids = events.flatMap((event) => event.subject ?? []);
  const experiments = await readShownNames(reader, organizationId, ids);
  for (const event of events) event.subjectName ??= experiments.get(event.subject ?? "") ?? null;
  return { events, next: rows.length > max ? (events.at(-1)?.id ?? null) : null };
}

function eventOf({ id, at, action, actor, subject, address, details, ...names }: Row): Event {
  return {
    id,
    at: new Date(at).toISOString(),
    action,
    actor,
    subject,
    address,
    details: JSON.parse(details) as Record<string, unknown>,
    actorName: nameIn({ named: names.actor_named, email: names.actor_email }),
    subjectName: nameIn({ named: names.subject_named, email: names.subject_email }),
  };
}

interface Named {
  named: string | null;
  email: string | null;
}

/**
 * Returns the columns, for `nameIn`, with the name that people know for an id of the organization.
 * Ids are of one kind only; an address may be followed by the mark that tells namesakes apart.
 */
function namesOf(id: string, [named, email]: readonly [string, string]): string {
  const own = ["api_key", "location", "connection"].map(
    (table) =>
      `(SELECT name FROM ${table} WHERE ${table}.id = ${id} AND ${table}.organization = audit.organization)`,
  );
  return `coalesce(${own.join(", ")}) AS ${named},
    coalesce((SELECT email FROM person WHERE person.id = ${id}),
      (SELECT email FROM invitation WHERE invitation.id = ${id} AND invitation.organization = audit.organization))
      AS ${email}`;
}

function nameIn({ named, email }: Named): string | null {
  return named ?? email?.split(" ", 1)[0] ?? null;
}

/**
 * `views.auditTerms`: the terms that the log can be searched for, each found by a look-up in an
 * index.
 */
export async function readAuditTerms(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<AuditTermsReply> {
  const actions = await reader.all<{ term: string }>(
    `${different("action")} LIMIT 1000`,
    organizationId,
  );
  const actors = await reader.all<{ id: string } & Named>(
    `SELECT audit.actor AS id, ${namesOf("audit.actor", ["named", "email"])}
     FROM (SELECT term AS actor, CAST($1 AS TEXT) AS organization FROM (${different("actor")}) AS terms) AS audit
     LIMIT $2`,
    organizationId,
    limits.auditActorsReturnedMax,
  );
  return {
    actions: actions.map(({ term }) => term),
    actors: actors.map(({ id, ...names }) => ({ id, name: nameIn(names) })),
  };
}

/**
 * Returns the distinct values of a column, each the least one beyond the last: the log is not read.
 */
function different(column: "action" | "actor"): string {
  return `WITH RECURSIVE found (term) AS (
      SELECT min(${column}) FROM audit WHERE organization = $1
      UNION ALL
      SELECT (SELECT min(audit.${column}) FROM audit WHERE audit.organization = $1 AND audit.${column} > found.term)
      FROM found WHERE found.term IS NOT NULL)
    SELECT term FROM found WHERE term IS NOT NULL`;
}
