import type { Organization, Role } from "@lossless/protocol";
import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { newId } from "../ids.ts";

export interface StoredPerson {
  id: string;
  /** Lower case. */
  email: string;
  /** Slow hash. */
  password: string;
}

/** The form in which addresses are stored and compared. */
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

/** Undefined when another transaction has just made one with this address. */
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

/** Gives a person a new password: every session, sign-in of the command line and open link of theirs ends. */
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

/** By name. */
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

/** What sign-in needs to know; null for an unknown address. */
export async function findForSignIn(
  reader: Reader,
  { email }: { email: string },
): Promise<{ person: StoredPerson; organizations: MemberOrganization[] } | null> {
  const person = await findPersonByEmail(reader, email);
  if (person === undefined) return null;
  return { person, organizations: await organizationsOf(reader, { personId: person.id }) };
}
