import { limits } from "@lossless/protocol/limits";
import type { Organization } from "@lossless/protocol";
import { audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { hashSecret, newSecret } from "../../../ground/secrets.ts";
import {
  enterableOrganizations,
  livingOrganizations,
  shownEmail,
  type StoredPerson,
} from "./person.ts";
import { wrongPassword } from "./password.ts";

/** A person who has just signed in. */
export interface SignedIn {
  /** Secret of the session, shown once: only its hash is stored. */
  secret: string;
  expiresAtMs: number;
  person: { id: string; email: string };
  /** The active organization of the session. */
  organization: Organization | undefined;
}

/**
 * Signs a person in whose password was verified. `seenPassword` is the hash with which it was
 * compared: after a change of the password in the meantime the sign-in fails.
 */
export async function createSession(
  transaction: Transaction,
  {
    personId,
    seenPassword,
    ...session
  }: {
    personId: string;
    seenPassword: string;
  } & NewSession,
  moment: Moment,
): Promise<SignedIn> {
  const person = await transaction.get<StoredPerson>(
    `SELECT id, email, password FROM person WHERE id = $1${transaction.forUpdate}`,
    personId,
  );
  if (person?.password !== seenPassword) throw wrongPassword();
  return beginSession(transaction, { person, ...session }, moment);
}

interface NewSession {
  organizationId: string | undefined;
  /** Set where an organization's provider vouched: the session acts there alone. */
  onlyOrganization?: string | null;
  address: string;
  /** The name by which the browser or the program introduces itself. */
  device: string | null;
}

/** Begins a session. The caller has locked the person's row and verified who they are. */
export async function beginSession(
  transaction: Transaction,
  {
    person: { id, email },
    organizationId,
    onlyOrganization = null,
    address,
    device,
  }: { person: Pick<StoredPerson, "id" | "email"> } & NewSession,
  { nowMs }: Moment,
): Promise<SignedIn> {
  const organization = await memberOf(transaction, id, organizationId, onlyOrganization);
  const secret = newSecret("as_");
  const expiresAtMs = nowMs + limits.sessionLifetimeMs;
  await transaction.run("DELETE FROM session WHERE person = $1 AND expires_at_ms <= $2", id, nowMs);
  await endOldest(transaction, { personId: id, address }, { nowMs });
  await transaction.run(
    `INSERT INTO session (hash, person, organization, created_at_ms, expires_at_ms, used_at_ms, device, address,
       only_organization)
     VALUES ($1, $2, $3, $4, $5, $4, $6, $7, $8)`,
    hashSecret(secret),
    id,
    organization?.id ?? null,
    nowMs,
    expiresAtMs,
    device,
    address,
    onlyOrganization,
  );
  await audit(
    transaction,
    {
      organizationId: organization?.id ?? null,
      action: "session.created",
      actor: id,
      subject: id,
      address,
      ...(onlyOrganization === null ? {} : { details: { signOn: true } }),
    },
    { nowMs },
  );
  return { secret, expiresAtMs, person: { id, email: shownEmail(email) }, organization };
}

/** Makes room for one more session of the person. */
async function endOldest(
  transaction: Transaction,
  { personId, address }: { personId: string; address: string },
  moment: Moment,
): Promise<void> {
  const ended = await transaction.all<{ organization: string | null }>(
    `DELETE FROM session WHERE hash IN
       (SELECT hash FROM session WHERE person = $1 ORDER BY created_at_ms DESC, hash LIMIT 1000 OFFSET $2)
     RETURNING organization`,
    personId,
    limits.sessionsPerPersonMax - 1,
  );
  for (const { organization: organizationId } of ended) {
    const entry = { organizationId, actor: "service", subject: personId, address };
    await audit(transaction, { ...entry, action: "session.ended" }, moment);
  }
}

/** Signs out; idempotent. */
export async function endSession(
  transaction: Transaction,
  { hash, address }: { hash: Uint8Array; address: string },
  moment: Moment,
): Promise<void> {
  const session = await transaction.get<{ person: string; organization: string | null }>(
    `SELECT person, organization FROM session WHERE hash = $1${transaction.forUpdate}`,
    hash,
  );
  if (session === undefined) return;
  const { person, organization: organizationId } = session;
  await transaction.run("DELETE FROM session WHERE hash = $1", hash);
  await audit(
    transaction,
    { organizationId, action: "session.ended", actor: person, subject: person, address },
    moment,
  );
}

/** Records wrong passwords for a person; callers report from time to time, not each one. */
export async function noteRefusal(
  transaction: Transaction,
  { personId, address }: { personId: string; address: string },
  moment: Moment,
): Promise<void> {
  const action = "session.refused";
  const subject = personId;
  const entry = { organizationId: null, action, actor: "service", subject, address };
  await audit(transaction, entry, moment);
}

/** Makes another organization of the person the active one. */
export async function switchOrganization(
  transaction: Transaction,
  { hash, personId, organization }: { hash: Uint8Array; personId: string; organization: string },
): Promise<Organization> {
  const session = await transaction.get<{ only_organization: string | null }>(
    "SELECT only_organization FROM session WHERE hash = $1",
    hash,
  );
  const onlyOrganization = session?.only_organization ?? null;
  const mine = await livingOrganizations(transaction, { personId, onlyOrganization });
  const found = named(mine, organization);
  if (found === undefined) throw notAMember();
  const changed = await transaction.run(
    "UPDATE session SET organization = $2 WHERE hash = $1",
    hash,
    found.id,
  );
  if (changed === 0) throw new ServiceError("unauthorized", "The session has ended.");
  return { id: found.id, name: found.name };
}

/** Finds an organization by name or id; names come before ids, as everywhere. */
export function named<One extends Organization>(
  organizations: readonly One[],
  nameOrId: string,
): One | undefined {
  return (
    organizations.find(({ name }) => name === nameOrId) ??
    organizations.find(({ id }) => id === nameOrId)
  );
}

/** The same error for an organization that exists and for one that does not. */
export function notAMember(): ServiceError {
  return new ServiceError("forbidden", "You do not belong to such an organization.");
}

async function memberOf(
  transaction: Transaction,
  personId: string,
  organizationId: string | undefined,
  onlyOrganization: string | null,
): Promise<Organization | undefined> {
  if (organizationId === undefined) return undefined;
  const mine = await enterableOrganizations(transaction, { personId, onlyOrganization });
  const found = mine.find(({ id }) => id === organizationId);
  if (found === undefined) throw notAMember();
  return { id: found.id, name: found.name };
}
