import { audit } from "../../../database/audit/audit.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { ServiceError } from "../../../ground/errors.ts";
import type { GuestScope } from "./links.ts";

/** A valid guest link. */
export interface Guest extends GuestScope {
  linkId: string;
  organization: { id: string; name: string };
  expiresAtMs: number;
}

interface GuestRow {
  id: string;
  organization: string;
  organization_name: string;
  report: string | null;
  is_anonymous: number;
  shows_console: number;
  shows_files: number;
  expires_at_ms: number;
  uses: number;
  experiment: string | null;
}

/**
 * Returns the guest of the link with this SHA-256, with a row for each experiment; undefined where
 * it is unknown, ended, or of a deleted organization.
 */
export async function findGuest(
  reader: Reader,
  hash: Uint8Array,
  nowMs: number,
): Promise<Guest | undefined> {
  const rows = await reader.all<GuestRow>(
    `SELECT guest_link.id, guest_link.organization, organization.name AS organization_name, report,
       is_anonymous, shows_console, shows_files, expires_at_ms, uses, shown.experiment
     FROM guest_link JOIN organization ON organization.id = guest_link.organization
     LEFT JOIN guest_link_experiment AS shown ON shown.link = guest_link.id
     WHERE guest_link.hash = $1 AND guest_link.ended_at_ms IS NULL AND guest_link.expires_at_ms > $2
       AND organization.trashed_at_ms IS NULL ORDER BY shown.number`,
    hash,
    nowMs,
  );
  if (rows.length === 0) return undefined;
  const [row] = rows;
  return {
    linkId: row.id,
    organization: { id: row.organization, name: row.organization_name },
    experimentIds: rows.flatMap(({ experiment }) => experiment ?? []),
    reportId: row.report,
    isAnonymous: row.is_anonymous === 1,
    showsConsole: row.shows_console === 1,
    showsFiles: row.shows_files === 1,
    expiresAtMs: row.expires_at_ms,
  };
}

/**
 * `guestLink.open`: counts an opening of a link; the first one is in the audit log. Throws
 * `unauthorized`, in the same words for every useless link.
 */
export async function openLink(
  transaction: Transaction,
  { hash, address }: { hash: Uint8Array; address: string },
  { nowMs }: Moment,
): Promise<Guest> {
  const guest = await findGuest(transaction, hash, nowMs);
  if (guest === undefined) throw uselessGuestLink();
  const { linkId, organization } = guest;
  const counted = await transaction.get<{ uses: number }>(
    "UPDATE guest_link SET uses = uses + 1, used_at_ms = $2 WHERE id = $1 RETURNING uses",
    linkId,
    nowMs,
  );
  if (counted?.uses === 1) {
    const entry = { organizationId: organization.id, actor: "guest", address, subject: linkId };
    await audit(transaction, { ...entry, action: "guestLink.opened" }, { nowMs });
  }
  return guest;
}

/**
 * `guestLink.wrote`: whether one of the experiments that a guest sees wrote the version of an
 * artifact.
 */
export async function isOfGuest(
  reader: Reader,
  input: {
    organizationId: string;
    experimentIds: readonly string[];
    artifact: string;
    version: string;
  },
): Promise<boolean> {
  const row = await reader.get(
    `SELECT written.version FROM version_experiment AS written
     JOIN artifact ON artifact.id = written.artifact
     JOIN experiment ON experiment.id = written.experiment AND experiment.trashed_at_ms IS NULL
     WHERE written.organization = $1 AND artifact.organization = $1 AND artifact.path = $2
       AND written.version = $3 AND ${reader.isOneOf("written.experiment", "$4")} LIMIT 1`,
    input.organizationId,
    input.artifact,
    input.version,
    JSON.stringify(input.experimentIds),
  );
  return row !== undefined;
}

/** Returns the 401 of an unknown, ended or revoked link. */
export function uselessGuestLink(): ServiceError {
  const sentence = "This link does not work: it has ended, was revoked, or is incomplete.";
  return new ServiceError("unauthorized", sentence);
}
