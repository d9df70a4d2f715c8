import { createHash } from "node:crypto";
import type { Organization } from "@lossless/protocol";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { endSession } from "./sessions.ts";

export interface ListedSession {
  /** Id shown to the person; useless without a session of theirs. */
  id: string;
  isCurrent: boolean;
  createdAtMs: number;
  expiresAtMs: number;
  usedAtMs: number | null;
  device: string | null;
  address: string | null;
  /** The active organization; null when there is none, or the person no longer belongs to it. */
  organization: Organization | null;
}

interface OwnSessions {
  personId: string;
  /** SHA-256 of the asking session. */
  hash: Uint8Array;
  /**
   * Organization of a session by a provider, which lists only sessions of its kind; null: lists
   * all.
   */
  onlyOrganization: string | null;
}

/** `session.list`: the person's live sessions, newest first. */
export async function listSessions(
  reader: Reader,
  { personId, hash: asking, onlyOrganization }: OwnSessions,
  { nowMs }: Moment,
): Promise<ListedSession[]> {
  const rows = await reader.all<
    Omit<ListedSession, "id" | "isCurrent" | "organization"> & {
      hash: Uint8Array;
      organizationId: string | null;
      organizationName: string | null;
    }
  >(
    `SELECT hash, session.created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs", used_at_ms AS "usedAtMs",
       device, address, organization.id AS "organizationId", organization.name AS "organizationName"
     FROM session
     LEFT JOIN membership ON membership.person = session.person AND membership.organization = session.organization
     LEFT JOIN organization ON organization.id = membership.organization
     WHERE session.person = $1 AND expires_at_ms > $2
       AND (only_organization = $3 OR $3 IS NULL) ORDER BY session.created_at_ms DESC, hash`,
    personId,
    nowMs,
    onlyOrganization,
  );
  return rows.map(({ hash, organizationId: id, organizationName: name, ...session }) => ({
    ...session,
    id: sessionIdOf(hash),
    isCurrent: Buffer.compare(hash, asking) === 0,
    organization: id === null || name === null ? null : { id, name },
  }));
}

/** `session.endOne`, by id; false when the person has no such session. */
export async function endListedSession(
  transaction: Transaction,
  {
    personId,
    onlyOrganization,
    id,
    address,
  }: { personId: string; onlyOrganization: string | null; id: string; address: string },
  moment: Moment,
): Promise<boolean> {
  const rows = await transaction.all<{ hash: Uint8Array }>(
    "SELECT hash FROM session WHERE person = $1 AND (only_organization = $2 OR $2 IS NULL)",
    personId,
    onlyOrganization,
  );
  const found = rows.find(({ hash }) => sessionIdOf(hash) === id);
  if (found === undefined) return false;
  await endSession(transaction, { hash: found.hash, address }, moment);
  return true;
}

/** `session.used`: records when sessions were last used; delayed and approximate. */
export async function noteSessionUse(
  transaction: Transaction,
  { uses }: { uses: { id: string; atMs: number }[] },
): Promise<void> {
  // In the order of ids, so that two nodes do not deadlock.
  for (const { id, atMs } of uses.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    await transaction.run(
      "UPDATE session SET used_at_ms = $2 WHERE hash = $1 AND coalesce(used_at_ms, 0) < $2",
      new Uint8Array(Buffer.from(id, "base64")),
      atMs,
    );
  }
}

/** Returns the id of a session, a hash of the stored hash, so that the latter is not sent. */
function sessionIdOf(hash: Uint8Array): string {
  return createHash("sha256").update("session").update(hash).digest("hex").slice(0, 26);
}
