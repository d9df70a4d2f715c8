import type { GuestLink, Role } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { isAtLeast, requireRole, roleNeeded } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { requireFewer } from "../../../database/row-limit.ts";
import { isoTime, isoTimeOrNull, type Moment } from "../../../ground/clock.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";

/** The scope of a guest link. */
export interface GuestScope {
  /** In the order of a comparison. */
  experimentIds: string[];
  reportId: string | null;
  isAnonymous: boolean;
  showsConsole: boolean;
  showsFiles: boolean;
}

interface LinkRow {
  id: string;
  name: string;
  report: string | null;
  is_anonymous: number;
  shows_console: number;
  shows_files: number;
  email: string;
  created_by: string;
  created: number;
  expires: number;
  used: number | null;
  uses: number;
}

const service = { actor: "service", address: null };
const dayMs = 24 * 60 * 60 * 1_000;

const select = `SELECT guest_link.id, guest_link.name, report, is_anonymous, shows_console, shows_files,
    person.email, guest_link.created_by, guest_link.created_at_ms AS created,
    expires_at_ms AS expires, used_at_ms AS used, uses
  FROM guest_link JOIN person ON person.id = guest_link.created_by
  WHERE guest_link.organization = $1 AND ended_at_ms IS NULL AND expires_at_ms > $2`;

/** `guestLink.list`: valid links, the newest first, and whether members may make some. */
export async function listLinks(
  reader: Reader,
  { organizationId }: { organizationId: string },
  { nowMs }: Moment,
): Promise<{ links: GuestLink[]; membersShare: boolean }> {
  const rows = await reader.all<LinkRow>(
    `${select} ORDER BY guest_link.created_at_ms DESC, guest_link.id DESC`,
    organizationId,
    nowMs,
  );
  const shown = await shownBy(
    reader,
    rows.map(({ id }) => id),
  );
  const links = rows.map((row) => linkRecord(row, shown.get(row.id) ?? []));
  return { links, membersShare: await membersShare(reader, organizationId) };
}

/**
 * `guestLink.create`: by an admin or owner, or by a member where the organization lets members
 * share.
 */
export async function createLink(
  transaction: Transaction,
  input: { organizationId: string; name: string; days: number } & GuestScope & Actor,
  { nowMs }: Moment,
): Promise<{ link: GuestLink; secret: string }> {
  const { organizationId, name, days, experimentIds, reportId, actor, address } = input;
  await requireSharer(transaction, organizationId, actor);
  await requireFewerLinks(transaction, organizationId, nowMs);
  await requireExperiments(transaction, organizationId, experimentIds);
  const secret = newSecret("gl_");
  const id = newId(nowMs);
  await transaction.run(
    `INSERT INTO guest_link (id, hash, organization, name, report, is_anonymous, shows_console, shows_files,
       created_by, created_at_ms, expires_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    id,
    hashSecret(secret),
    organizationId,
    name,
    reportId,
    Number(input.isAnonymous),
    Number(input.showsConsole),
    Number(input.showsFiles),
    actor,
    nowMs,
    nowMs + days * dayMs,
  );
  for (const [number, experimentId] of experimentIds.entries()) {
    await transaction.run(
      "INSERT INTO guest_link_experiment (link, experiment, number) VALUES ($1, $2, $3)",
      id,
      experimentId,
      number,
    );
  }
  const { isAnonymous, showsConsole, showsFiles } = input;
  const details = { name, days, isAnonymous, showsConsole, showsFiles };
  const of = { experiments: experimentIds.length, experiment: experimentIds[0] ?? null };
  await audit(
    transaction,
    {
      organizationId,
      action: "guestLink.created",
      actor,
      address,
      subject: id,
      details: { ...details, ...of, report: reportId },
    },
    { nowMs },
  );
  const row = await transaction.get<LinkRow>(
    `${select} AND guest_link.id = $3`,
    organizationId,
    nowMs,
    id,
  );
  if (row === undefined) throw new Error("BUG: a guest link was made and is not there");
  return { link: linkRecord(row, experimentIds), secret };
}

/** `guestLink.revoke`: one's own or, as an admin, any; ends it for every later request. */
export async function revokeLink(
  transaction: Transaction,
  { organizationId, id, actor, address }: { organizationId: string; id: string } & Actor,
  moment: Moment,
): Promise<void> {
  const role = await requireRole(transaction, organizationId, actor, "member");
  const row = await transaction.get<LinkRow>(
    `${select} AND guest_link.id = $3`,
    organizationId,
    moment.nowMs,
    id,
  );
  if (row === undefined) throw new ServiceError("not_found", "There is no such guest link.");
  if (row.created_by !== actor && !isAtLeast(role, "admin")) throw roleNeeded("admin", role);
  await endLinks(transaction, organizationId, "id = $3", id, { actor, address }, moment);
}

/** `guestLink.set`: whether members may make links, by an admin; existing ones stay. */
export async function setMembersShare(
  transaction: Transaction,
  {
    organizationId,
    membersShare: isOn,
    by,
  }: { organizationId: string; membersShare: boolean; by: Actor },
  moment: Moment,
): Promise<{ membersShare: boolean }> {
  await requireRole(transaction, organizationId, by.actor, "admin");
  await transaction.run(
    "UPDATE organization SET members_share = $2 WHERE id = $1",
    organizationId,
    Number(isOn),
  );
  const details = { membersShare: isOn };
  const entry = { ...by, organizationId, action: "guestLinks.set", details };
  await audit(transaction, entry, moment);
  return { membersShare: isOn };
}

/**
 * Ends the valid links that `which` finds, with the value $3: of a person who left or may no longer
 * share, or of a report that is gone. Under lockOrganization.
 */
export async function endLinks(
  transaction: Transaction,
  organizationId: string,
  which: "id = $3" | "created_by = $3" | "report = $3",
  value: string,
  by: Actor,
  { nowMs }: Moment,
): Promise<void> {
  const ended = await transaction.all<{ id: string; name: string }>(
    `UPDATE guest_link SET ended_at_ms = $2 WHERE organization = $1 AND ended_at_ms IS NULL
       AND expires_at_ms > $2 AND ${which} RETURNING id, name`,
    organizationId,
    nowMs,
    value,
  );
  for (const { id, name } of ended) {
    const entry = { organizationId, ...by, subject: id };
    await audit(
      transaction,
      { ...entry, action: "guestLink.revoked", details: { name } },
      { nowMs },
    );
  }
}

/** Ends the links of a person whose role `now` makes none. Under lockOrganization. */
export async function endLinksOfViewer(
  transaction: Transaction,
  { organizationId, personId, now }: { organizationId: string; personId: string; now: Role },
  by: Actor,
  moment: Moment,
): Promise<void> {
  if (isAtLeast(now, "member")) return;
  await endLinks(transaction, organizationId, "created_by = $3", personId, by, moment);
}

/** Takes a purged experiment out of all links; those that show nothing else end. */
export async function forgetShown(
  transaction: Transaction,
  experimentId: string,
  { nowMs }: Moment,
): Promise<number> {
  const rows = await transaction.all<{ link: string }>(
    "DELETE FROM guest_link_experiment WHERE experiment = $1 RETURNING link",
    experimentId,
  );
  for (const { link } of rows) {
    const ended = await transaction.get<{ organization: string; name: string; expires: number }>(
      `UPDATE guest_link SET ended_at_ms = $2 WHERE id = $1 AND ended_at_ms IS NULL AND report IS NULL
         AND NOT EXISTS (SELECT 1 FROM guest_link_experiment WHERE link = $1)
       RETURNING organization, name, expires_at_ms AS expires`,
      link,
      nowMs,
    );
    if (ended === undefined || ended.expires <= nowMs) continue;
    const { organization: organizationId, name } = ended;
    const entry = { organizationId, ...service, subject: link, details: { name } };
    await audit(transaction, { ...entry, action: "guestLink.revoked" }, { nowMs });
  }
  return rows.length;
}

async function requireSharer(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<void> {
  const role = await requireRole(transaction, organizationId, personId, "member");
  if (isAtLeast(role, "admin") || (await membersShare(transaction, organizationId))) return;
  throw new ServiceError(
    "forbidden",
    "In this organization only admins and owners make guest links.",
  );
}

async function membersShare(reader: Reader, organizationId: string): Promise<boolean> {
  const row = await reader.get<{ share: number }>(
    "SELECT members_share AS share FROM organization WHERE id = $1",
    organizationId,
  );
  return row?.share === 1;
}

function requireFewerLinks(
  transaction: Transaction,
  organizationId: string,
  nowMs: number,
): Promise<void> {
  const most = limits.guestLinksPerOrganizationMax;
  return requireFewer(
    transaction,
    most,
    `An organization has at most ${most} valid guest links; revoke some first.`,
    "guest_link WHERE organization = $1 AND ended_at_ms IS NULL AND expires_at_ms > $2",
    organizationId,
    nowMs,
  );
}

async function requireExperiments(
  transaction: Transaction,
  organizationId: string,
  experimentIds: readonly string[],
): Promise<void> {
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM experiment WHERE organization = $1 AND trashed_at_ms IS NULL
       AND ${transaction.isOneOf("id", "$2")}`,
    organizationId,
    JSON.stringify(experimentIds),
  );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = experimentIds.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw new ServiceError("not_found", `There is no experiment ${unknown} in the organization.`);
}

async function shownBy(reader: Reader, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await reader.all<{ link: string; experiment: string }>(
    `SELECT link, experiment FROM guest_link_experiment WHERE ${reader.isOneOf("link", "$1")}
     ORDER BY link, number`,
    JSON.stringify(ids),
  );
  const shown = new Map<string, string[]>();
  for (const { link, experiment } of rows) {
    const others = shown.get(link);
    if (others === undefined) shown.set(link, [experiment]);
    else others.push(experiment);
  }
  return shown;
}

/** Returns the kind of a link, by what it shows. */
export function kindOfLink({
  experimentIds,
  reportId,
}: Pick<GuestScope, "experimentIds" | "reportId">): GuestLink["kind"] {
  if (reportId !== null) return "report";
  return experimentIds.length === 1 ? "experiment" : "comparison";
}

function linkRecord(row: LinkRow, experimentIds: string[]): GuestLink {
  const { id, name, report: reportId, email, created, expires, used, uses } = row;
  return {
    id,
    name,
    kind: kindOfLink({ experimentIds, reportId }),
    experimentIds,
    reportId,
    isAnonymous: row.is_anonymous === 1,
    showsConsole: row.shows_console === 1,
    showsFiles: row.shows_files === 1,
    created: isoTime(created),
    // Where several people have one address, an organization's id is behind it.
    createdBy: email.split(" ", 1)[0],
    expires: isoTime(expires),
    lastUsed: isoTimeOrNull(used),
    uses,
  };
}
