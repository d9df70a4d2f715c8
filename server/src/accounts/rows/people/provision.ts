import type { Role } from "@lossless/protocol";
import { roleOf } from "../../../database/access/role.ts";
import { audit, type AuditEntry } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { endLinksOfViewer } from "../guests/links.ts";
import { endLinksBeyond } from "./invitations.ts";
import { findPersonByEmail, insertPerson, normalEmail, replacePassword } from "./person.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";

/** A person of the provision file, checked. */
export interface ProvisionedPerson {
  email: string;
  /**
   * The new hash when the file's password differs from the one of the last start; else undefined.
   */
  password: { seen: string | null; hash: string } | undefined;
  memberships: { organization: string; role: Role }[];
}

const provisioner = { actor: "provision", address: null };

/**
 * Returns for each address the hash of the password that the file gave last time, null where there
 * is none. The file's password counts only when it has changed since: a password set by the person
 * stays.
 */
export async function provisionedPasswords(
  reader: Reader,
  { emails }: { emails: string[] },
): Promise<(string | null)[]> {
  const rows = await reader.all<{ email: string; provisioned: string | null }>(
    `SELECT email, provisioned_password AS provisioned FROM person WHERE ${reader.isOneOf("email", "$1")}`,
    JSON.stringify(emails.map(normalEmail)),
  );
  const byEmail = new Map(rows.map(({ email, provisioned }) => [email, provisioned]));
  return emails.map((email) => byEmail.get(normalEmail(email)) ?? null);
}

/**
 * Applies the people of the file at every start, after the organizations: addresses are the
 * identity, no person is removed, the file's role counts.
 */
export async function provisionPeople(
  transaction: Transaction,
  { people }: { people: ProvisionedPerson[] },
  moment: Moment,
): Promise<void> {
  for (const person of people) await provisionPerson(transaction, person, moment);
}

async function provisionPerson(
  transaction: Transaction,
  { email, password, memberships }: ProvisionedPerson,
  moment: Moment,
): Promise<void> {
  const personId = await ensurePerson(transaction, email, password, moment);
  for (const { organization, role } of memberships) {
    await ensureMembership(transaction, organization, personId, role, moment);
  }
}

async function ensurePerson(
  transaction: Transaction,
  email: string,
  password: ProvisionedPerson["password"],
  moment: Moment,
): Promise<string> {
  const known =
    (await findPersonByEmail(transaction, email, transaction.forUpdate)) ??
    (await makePerson(transaction, email, password, moment)) ??
    // Another node was faster.
    (await findPersonByEmail(transaction, email, transaction.forUpdate));
  if (known === undefined) throw new Error("BUG: a provisioned person was neither found nor made");
  if (password === undefined) return known.id;
  const { id } = known;
  // Only while the file's last password is the one that was looked at: a node that starts late with
  // the same file must not undo what the person has changed since.
  const isNews = await transaction.run(
    `UPDATE person SET provisioned_password = $2
     WHERE id = $1 AND (provisioned_password = $3 OR (provisioned_password IS NULL AND $3 IS NULL))`,
    id,
    password.hash,
    password.seen,
  );
  if (isNews === 0 || known.password === password.hash) return id;
  await replacePassword(transaction, { personId: id, password: password.hash }, moment);
  await note(
    transaction,
    { organizationId: null, action: "password.changed", subject: id },
    moment,
  );
  return id;
}

async function makePerson(
  transaction: Transaction,
  email: string,
  password: ProvisionedPerson["password"],
  moment: Moment,
) {
  if (password === undefined) throw new Error("BUG: a provisioned person has gone");
  const made = await insertPerson(transaction, { email, password: password.hash }, moment);
  if (made === undefined) return undefined;
  const details = { email: made.email };
  await note(
    transaction,
    { organizationId: null, action: "person.created", subject: made.id, details },
    moment,
  );
  return made;
}

async function ensureMembership(
  transaction: Transaction,
  organization: string,
  personId: string,
  role: Role,
  moment: Moment,
): Promise<void> {
  const row = await transaction.get<{ id: string; purged_at_ms: number | null }>(
    "SELECT id, purged_at_ms FROM organization WHERE name = $1",
    organization,
  );
  if (row === undefined) throw new Error("BUG: people are provisioned after their organizations");
  if (row.purged_at_ms !== null) return;
  const organizationId = row.id;
  if ((await roleOf(transaction, organizationId, personId)) === role) return;
  await lockOrganization(transaction, organizationId);
  const present = await roleOf(transaction, organizationId, personId);
  if (present === role) return;
  await transaction.run(
    `INSERT INTO membership (organization, person, role, created_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization, person) DO UPDATE SET role = excluded.role`,
    organizationId,
    personId,
    role,
    moment.nowMs,
  );
  await endLinksBeyond(transaction, { organizationId, personId, now: role }, provisioner, moment);
  await endLinksOfViewer(transaction, { organizationId, personId, now: role }, provisioner, moment);
  const action = present === undefined ? "membership.created" : "membership.changed";
  const details = { ...(present === undefined ? {} : { from: present }), to: role };
  await note(transaction, { organizationId, action, subject: personId, details }, moment);
}

async function note(
  transaction: Transaction,
  entry: Omit<AuditEntry, "actor" | "address">,
  moment: Moment,
): Promise<void> {
  await audit(transaction, { ...entry, ...provisioner }, moment);
}
