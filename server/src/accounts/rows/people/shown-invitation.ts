import type { Role } from "@lossless/protocol";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader } from "../../../database/database.ts";

/** An invitation as shown to the holder of its link before use. */
export interface ShownInvitation {
  organizationName: string;
  role: Role;
  /** Whether the link is the operator's for a new password: the person joins nothing. */
  isForPassword: boolean;
}

/**
 * Returns an invitation; null for unknown, used, revoked and expired links alike. The address for
 * which the link is meant is left out: links are passed on.
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
