import type { Role } from "@lossless/protocol";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader } from "../../../database/database.ts";

/** What the holder of a link may know before using it. */
export interface ShownInvitation {
  organizationName: string;
  role: Role;
  /** The link of the operator by which a person sets a new password: nobody joins anything. */
  isForPassword: boolean;
}

/**
 * Null for unknown, used, revoked and expired links alike. For whom a link is meant stays unsaid:
 * links are passed on.
 */
export async function showInvitation(
  reader: Reader,
  { hash }: { hash: Uint8Array },
  { nowMs }: Moment,
): Promise<ShownInvitation | null> {
  const row = await reader.get<{ name: string; role: Role; person: string | null }>(
    `SELECT organization.name, invitation.role, invitation.person
     FROM invitation JOIN organization ON organization.id = invitation.organization
       AND (organization.trashed_at_ms IS NULL OR invitation.person IS NOT NULL)
     WHERE invitation.hash = $1 AND invitation.ended_at_ms IS NULL AND invitation.expires_at_ms > $2`,
    hash,
    nowMs,
  );
  if (row === undefined) return null;
  return { organizationName: row.name, role: row.role, isForPassword: row.person !== null };
}
