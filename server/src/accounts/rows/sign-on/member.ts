import type { Role } from "@lossless/protocol";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { assignRole, isLastOwner } from "../people/memberships.ts";
import { hasPassword, noPassword } from "../people/no-password.ts";
import {
  insertPerson,
  namesakeEmail,
  replacePassword,
  shownEmail,
  type StoredPerson,
} from "../people/person.ts";

/** The organization and provider by whose word people are changed, at a sign-in or by SCIM. */
interface Scope {
  organizationId: string;
  address: string;
}

/**
 * Makes a person, separate from one who has the address without being a member: that was another
 * organization's word.
 */
export async function makePerson(
  transaction: Transaction,
  { organizationId, address }: Scope,
  email: string,
  moment: Moment,
): Promise<StoredPerson> {
  const password = noPassword();
  const apart = namesakeEmail(email, organizationId);
  const made =
    (await insertPerson(transaction, { email, password }, moment)) ??
    (await insertPerson(transaction, { email: apart, password }, moment));
  if (made === undefined) return formerMember(transaction, apart, password, moment);
  const entry = { organizationId, actor: made.id, address, subject: made.id };
  const details = { email: shownEmail(made.email) };
  await audit(transaction, { ...entry, action: "person.created", details }, moment);
  return made;
}

/**
 * Finds a person whom this organization made separately before and who left; their password no
 * longer counts.
 */
async function formerMember(
  transaction: Transaction,
  email: string,
  password: string,
  moment: Moment,
): Promise<StoredPerson> {
  const person = await transaction.get<StoredPerson>(
    "SELECT id, email, password FROM person WHERE email = $1",
    email,
  );
  if (person === undefined) throw new Error("BUG: an address is taken and nobody has it");
  await replacePassword(transaction, { personId: person.id, password }, moment);
  return person;
}

interface GivenRole {
  personId: string;
  /** Present role; undefined when the person is no member. */
  present: Role | undefined;
  wanted: Role;
  /** Details for the audit log of how the person became a member. */
  details: Record<string, boolean>;
}

/**
 * Sets the role. The last way in keeps the role of an owner, whatever the groups say. Under
 * lockOrganization.
 */
export async function giveRole(
  transaction: Transaction,
  { organizationId, ...by }: { organizationId: string } & Actor,
  { personId, present, wanted, details }: GivenRole,
  moment: Moment,
): Promise<void> {
  if (present === undefined) {
    await transaction.run(
      "INSERT INTO membership (organization, person, role, created_at_ms) VALUES ($1, $2, $3, $4)",
      organizationId,
      personId,
      wanted,
      moment.nowMs,
    );
    // A person who signs in is the actor of their own joining; else the provider is.
    const actor = by.actor === "service" ? personId : by.actor;
    const entry = { organizationId, ...by, actor, subject: personId };
    const action = "membership.created";
    await audit(transaction, { ...entry, action, details: { to: wanted, ...details } }, moment);
    return;
  }
  if (present === wanted) return;
  if (present === "owner" && (await isLastWayIn(transaction, organizationId, personId))) return;
  await assignRole(transaction, { organizationId, personId, role: wanted, ...by }, moment);
}

/**
 * Whether the person is the last owner, or the last who can sign in by a password when the provider
 * is away or wrongly set: no provider takes that from an organization. Under lockOrganization.
 */
export async function isLastWayIn(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<boolean> {
  if (await isLastOwner(transaction, organizationId, personId)) return true;
  const owners = await transaction.all<{ id: string }>(
    `SELECT person.id FROM membership JOIN person ON person.id = membership.person
     WHERE membership.organization = $1 AND membership.role = 'owner' AND ${hasPassword}`,
    organizationId,
  );
  return owners.length === 1 && owners[0].id === personId;
}
