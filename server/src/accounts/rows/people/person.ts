import type { Organization, Role } from "@lossless/protocol";
import { countsFor } from "../../../database/access/sign-on-rule.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { newId } from "../../../ground/ids.ts";

export interface StoredPerson {
  id: string;
  /** The address in lower case; see shownEmail. */
  email: string;
  /** Slow hash of the password. */
  password: string;
}

/** Returns an address in the form that is stored and compared. */
export function normalEmail(email: string): string {
  return email.toLowerCase();
}

export async function findPersonByEmail(
  reader: Reader,
  email: string,
  lock: "" | " FOR UPDATE" = "",
): Promise<StoredPerson | undefined> {
  const row = await reader.get<StoredPerson>(
    `SELECT id, email, password FROM person WHERE email = $1${lock}`,
    normalEmail(email),
  );
  return row === undefined ? undefined : { id: row.id, email: row.email, password: row.password };
}

/**
 * Finds all people with this address. There are several where an organization invited an address
 * that was already taken: their column `email` has the organization's id behind the address.
 */
export async function findPeopleByEmail(
  reader: Reader,
  email: string,
  lock: "" | " FOR UPDATE" = "",
): Promise<(StoredPerson & { isProvisioned: boolean })[]> {
  if (email.includes(" ")) return [];
  const rows = await reader.all<StoredPerson & { provisioned: string | null }>(
    `SELECT id, email, password, provisioned_password AS provisioned FROM person
     WHERE email = $1 OR email IN (SELECT CAST($1 AS TEXT) || ' ' || id FROM organization)
     ORDER BY length(email), email${lock}`,
    normalEmail(email),
  );
  return rows.map(({ provisioned, ...person }) => ({
    ...person,
    isProvisioned: provisioned !== null,
  }));
}

/** The stored address of a person who, by this organization's word, has the address of another. */
export function namesakeEmail(email: string, organizationId: string): string {
  return `${normalEmail(email)} ${organizationId}`;
}

/** The address to show for a stored one. */
export function shownEmail(stored: string): string {
  return stored.split(" ", 1)[0];
}

/** Inserts a person; undefined when another transaction has just made one with this address. */
export async function insertPerson(
  transaction: Transaction,
  { email, password }: { email: string; password: string },
  { nowMs }: Moment,
): Promise<StoredPerson | undefined> {
  const person = { id: newId(nowMs), email: normalEmail(email), password };
  const inserted = await transaction.run(
    `INSERT INTO person (id, email, password, created_at_ms, password_changed_at_ms)
     VALUES ($1, $2, $3, $4, $4) ON CONFLICT (email) DO NOTHING`,
    person.id,
    person.email,
    password,
    nowMs,
  );
  return inserted === 1 ? person : undefined;
}

/** Replaces a password: all sessions, command-line sign-ins and open links of the person end. */
export async function replacePassword(
  transaction: Transaction,
  {
    personId,
    password,
    keptSession,
  }: { personId: string; password: string; keptSession?: Uint8Array },
  { nowMs }: Moment,
): Promise<void> {
  await transaction.run(
    "UPDATE person SET password = $2, password_changed_at_ms = $3 WHERE id = $1",
    personId,
    password,
    nowMs,
  );
  await transaction.run(
    "DELETE FROM session WHERE person = $1 AND hash <> $2",
    personId,
    keptSession ?? new Uint8Array(0),
  );
  await transaction.run(
    "UPDATE oauth_grant SET ended_at_ms = $2 WHERE person = $1 AND ended_at_ms IS NULL",
    personId,
    nowMs,
  );
  await transaction.run(
    "UPDATE invitation SET ended_at_ms = $2 WHERE person = $1 AND ended_at_ms IS NULL",
    personId,
    nowMs,
  );
}

export type MemberOrganization = Organization & { role: Role };

/** Lists a person's organizations, by name. */
export async function organizationsOf(
  reader: Reader,
  { personId }: { personId: string },
): Promise<MemberOrganization[]> {
  const rows = await reader.all<MemberOrganization>(
    `SELECT organization.id, organization.name, membership.role
     FROM membership JOIN organization ON organization.id = membership.organization
     WHERE membership.person = $1 ORDER BY organization.name`,
    personId,
  );
  return rows.map(({ id, name, role }) => ({ id, name, role }));
}

interface SignedIn {
  personId: string;
  /** The organization of the provider, where the person signed in by one. */
  onlyOrganization: string | null;
}

/**
 * Returns the organizations that a sign-in may enter: those by password, or the one of the
 * provider. A deleted organization is included: it can be entered only to restore it.
 */
export function enterableOrganizations(
  reader: Reader,
  signedIn: SignedIn,
): Promise<MemberOrganization[]> {
  return organizationsFor(reader, signedIn, "");
}

/** `person.organizations`: the enterable ones that are not deleted. */
export function livingOrganizations(
  reader: Reader,
  signedIn: SignedIn,
): Promise<MemberOrganization[]> {
  return organizationsFor(reader, signedIn, "AND organization.trashed_at_ms IS NULL");
}

async function organizationsFor(
  reader: Reader,
  { personId, onlyOrganization }: SignedIn,
  which: string,
): Promise<MemberOrganization[]> {
  const rows = await reader.all<MemberOrganization>(
    `SELECT organization.id, organization.name, membership.role
     FROM membership JOIN organization ON organization.id = membership.organization
     WHERE membership.person = $1 AND ${countsFor("CAST($2 AS TEXT)")} ${which}
     ORDER BY organization.name`,
    personId,
    onlyOrganization,
  );
  return rows.map(({ id, name, role }) => ({ id, name, role }));
}

export interface PersonForSignIn {
  person: StoredPerson;
  organizations: MemberOrganization[];
  /** The person's other organizations, which take no password. */
  closed: MemberOrganization[];
}

/**
 * Finds the rows that a sign-in by password needs of all people with this address; the
 * organization's own first.
 */
export async function findForSignIn(
  reader: Reader,
  { email, organization }: { email: string; organization?: string | undefined },
): Promise<PersonForSignIn[]> {
  const found: PersonForSignIn[] = [];
  for (const { id, email: stored, password } of await findPeopleByEmail(reader, email)) {
    const all = await organizationsOf(reader, { personId: id });
    const input = { personId: id, onlyOrganization: null };
    const organizations = await enterableOrganizations(reader, input);
    const closed = all.filter((one) => organizations.every((open) => open.id !== one.id));
    found.push({ person: { id, email: stored, password }, organizations, closed });
  }
  const isWanted = ({ organizations, closed }: PersonForSignIn) =>
    [...organizations, ...closed].some(
      ({ id, name }) => id === organization || name === organization,
    );
  return [...found.filter(isWanted), ...found.filter((one) => !isWanted(one))];
}
