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

/** What a provider's word makes of people, when one signs in and when it is sent by SCIM. */
interface Scope {
  organizationId: string;
  address: string;
}

/** Apart from whoever has the address without being a member: another organization's word. */
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

/** This organization made them apart before, and they left: what they had known counts no more. */
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
  /** Undefined: they are no member. */
  present: Role | undefined;
  wanted: Role;
  /** What says by which way they became a member. */
  details: Record<string, boolean>;
}

/** Under lockOrganization. Who is the last way in stays it, whatever the groups say. */
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
    // Who signs in enters by themselves; else it is the provider that takes them in.
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
 * Whether the person is the last owner, or the last who can enter by a password when the provider
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
