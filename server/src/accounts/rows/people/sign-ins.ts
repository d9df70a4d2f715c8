import { createHash } from "node:crypto";
import type { SignIn } from "@lossless/protocol";
import { isoTime, isoTimeOrNull, type Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { endListedGrant, listGrants, type ListedGrant } from "../oauth/grant-list.ts";
import { endSession } from "./sessions.ts";

interface OwnSignIns {
  personId: string;
  /** SHA-256 of the asking session. */
  hash: Uint8Array;
  /**
   * Organization of a session by a provider, which lists only sign-ins of its kind; null: lists
   * all.
   */
  onlyOrganization: string | null;
}

interface SessionRow extends Omit<ListedGrant, "id"> {
  hash: Uint8Array;
  /** The active organization; null: there is none, or the person no longer belongs to it. */
  organization: string | null;
  name: string | null;
}

/** `signIn.list`: the person's live sessions, then command lines; each newest first. */
export async function listSignIns(
  reader: Reader,
  { personId, hash: asking, onlyOrganization }: OwnSignIns,
  moment: Moment,
): Promise<SignIn[]> {
  const sessions = await reader.all<SessionRow>(
    `SELECT hash, session.created_at_ms AS "createdAtMs", expires_at_ms AS "expiresAtMs", used_at_ms AS "usedAtMs",
       device, address, organization.id AS organization, organization.name
     FROM session
     LEFT JOIN membership ON membership.person = session.person AND membership.organization = session.organization
     LEFT JOIN organization ON organization.id = membership.organization
     WHERE session.person = $1 AND expires_at_ms > $2
       AND (only_organization = $3 OR $3 IS NULL) ORDER BY session.created_at_ms DESC, hash`,
    personId,
    moment.nowMs,
    onlyOrganization,
  );
  const grants = await listGrants(reader, { personId, onlyOrganization }, moment);
  return [
    ...sessions.map(({ hash, organization: id, name, ...session }) => ({
      ...shown({ ...session, id: sessionIdOf(hash) }),
      kind: "session" as const,
      current: Buffer.compare(hash, asking) === 0,
      organization: id === null || name === null ? null : { id, name },
    })),
    ...grants.map((grant) => ({
      ...shown(grant),
      kind: "command_line" as const,
      current: false,
      organization: null,
    })),
  ];
}

/** `signIn.end`, by id; undefined when the person has no such sign-in. */
export async function endSignIn(
  transaction: Transaction,
  {
    personId,
    hash: asking,
    onlyOrganization,
    id,
    address,
  }: OwnSignIns & { id: string; address: string },
  moment: Moment,
): Promise<{ isCurrent: boolean } | undefined> {
  const rows = await transaction.all<{ hash: Uint8Array }>(
    "SELECT hash FROM session WHERE person = $1 AND (only_organization = $2 OR $2 IS NULL)",
    personId,
    onlyOrganization,
  );
  const session = rows.find(({ hash }) => sessionIdOf(hash) === id);
  if (session === undefined) {
    const input = { personId, onlyOrganization, id, address };
    return (await endListedGrant(transaction, input, moment)) ? { isCurrent: false } : undefined;
  }
  await endSession(transaction, { hash: session.hash, address }, moment);
  return { isCurrent: Buffer.compare(session.hash, asking) === 0 };
}

/** Returns the id of a session, a hash of the stored hash, so that the latter is not sent. */
function sessionIdOf(hash: Uint8Array): string {
  return createHash("sha256").update("session").update(hash).digest("hex").slice(0, 26);
}

function shown({ createdAtMs, usedAtMs, expiresAtMs, ...signIn }: ListedGrant) {
  const { id, device, address } = signIn;
  const [created, expires] = [isoTime(createdAtMs), isoTime(expiresAtMs)];
  return { id, device, address, created, expires, lastUsed: isoTimeOrNull(usedAtMs) };
}
