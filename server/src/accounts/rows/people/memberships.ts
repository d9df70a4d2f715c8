import type { Person, Role } from "@lossless/protocol";
import { requireRole } from "../../../database/access/role.ts";
import { type Actor, audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { endLinks, endLinksOfViewer } from "../guests/links.ts";
import { endSignIns } from "./end-sign-ins.ts";
import { endLinksBeyond } from "./invitations.ts";
import { shownEmail } from "./person.ts";

interface PersonRow {
  id: string;
  email: string;
  role: Role;
  joined: number;
}

const selectPeople = `SELECT person.id, person.email, membership.role, membership.created_at_ms AS joined
  FROM membership JOIN person ON person.id = membership.person WHERE membership.organization = $1`;

/** Lists the members, by e-mail address. */
export async function listPeople(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<Person[]> {
  const rows = await reader.all<PersonRow>(`${selectPeople} ORDER BY person.email`, organizationId);
  return rows.map(personRecord);
}

/** A membership to change, and its actor. */
type Membership = { organizationId: string; personId: string } & Actor;

/** Changes a member's role. Only owners make or change owners. */
export async function changeRole(
  transaction: Transaction,
  input: Membership & { role: Role },
  moment: Moment,
): Promise<Person> {
  await requireRightOver(transaction, input, input.role);
  if (input.role === "owner") await requireHuman(transaction, input.personId);
  return assignRole(transaction, input, moment);
}

/**
 * Sets a role; the last owner stays one. Links that the new role could not make end. Under
 * lockOrganization.
 */
export async function assignRole(
  transaction: Transaction,
  { organizationId, personId, role, actor, address }: Membership & { role: Role },
  moment: Moment,
): Promise<Person> {
  const person = await requireMember(transaction, organizationId, personId);
  if (person.role === role) return personRecord(person);
  if (person.role === "owner") await requireOtherOwner(transaction, organizationId, personId);
  await transaction.run(
    "UPDATE membership SET role = $3 WHERE organization = $1 AND person = $2",
    organizationId,
    personId,
    role,
  );
  const by = { actor, address };
  await endLinksBeyond(transaction, { organizationId, personId, now: role }, by, moment);
  await endLinksOfViewer(transaction, { organizationId, personId, now: role }, by, moment);
  await audit(
    transaction,
    {
      organizationId,
      action: "membership.changed",
      actor,
      address,
      subject: personId,
      details: { from: person.role, to: role },
    },
    moment,
  );
  return personRecord({ ...person, role });
}

/** Removes a member. Only owners remove owners. */
export async function removePerson(
  transaction: Transaction,
  input: Membership,
  moment: Moment,
): Promise<void> {
  await requireRightOver(transaction, input, undefined);
  await endMembership(transaction, input, moment);
}

/**
 * Ends a membership for every later request: each request reads the membership. The person's
 * sign-ins and tokens, the links that they made and all that they saved for themselves end with it;
 * API keys and shared rows are the organization's and stay. The last owner stays. Under
 * lockOrganization.
 */
export async function endMembership(
  transaction: Transaction,
  { organizationId, personId, actor, address }: Membership,
  moment: Moment,
): Promise<void> {
  const person = await requireMember(transaction, organizationId, personId);
  if (person.role === "owner") await requireOtherOwner(transaction, organizationId, personId);
  await transaction.run(
    "DELETE FROM membership WHERE organization = $1 AND person = $2",
    organizationId,
    personId,
  );
  await endSignIns(transaction, { organizationId, personId }, moment);
  const own = "organization = $1 AND person = $2";
  for (const rows of [
    `saved_version WHERE saved IN (SELECT id FROM saved WHERE ${own})`,
    `saved WHERE ${own}`,
  ])
    await transaction.run(`DELETE FROM ${rows}`, organizationId, personId);
  const by = { actor, address };
  await endLinksBeyond(transaction, { organizationId, personId, now: undefined }, by, moment);
  await endLinks(transaction, organizationId, "created_by = $3", personId, by, moment);
  await audit(
    transaction,
    {
      organizationId,
      action: "membership.ended",
      actor,
      address,
      subject: personId,
      details: { email: shownEmail(person.email), role: person.role },
    },
    moment,
  );
}

/** Requires a person who can sign in: the last owner of an organization must be one. */
async function requireHuman(transaction: Transaction, personId: string): Promise<void> {
  const account = await transaction.get(
    "SELECT id FROM person WHERE id = $1 AND is_service = 1",
    personId,
  );
  if (account === undefined) return;
  throw new ServiceError("conflict", "A service account cannot be an owner.");
}

/**
 * Requires that the acting person may change the member and give them `role`. Under lock from here
 * on.
 */
async function requireRightOver(
  transaction: Transaction,
  { organizationId, personId, actor }: Membership,
  role: Role | undefined,
): Promise<void> {
  const actorRole = await requireRole(transaction, organizationId, actor, "admin");
  const person = await requireMember(transaction, organizationId, personId);
  if ((person.role === "owner" || role === "owner") && actorRole !== "owner") {
    throw new ServiceError("forbidden", "Only an owner can make, change or remove an owner.");
  }
}

async function requireMember(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<PersonRow> {
  const person = await transaction.get<PersonRow>(
    `${selectPeople} AND person.id = $2`,
    organizationId,
    personId,
  );
  if (person === undefined) {
    throw new ServiceError("not_found", "There is no such person in the organization.");
  }
  return person;
}

async function requireOtherOwner(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<void> {
  if (await isLastOwner(transaction, organizationId, personId)) {
    throw new ServiceError("conflict", "This is the last owner; make another person owner first.");
  }
}

/** Whether no other person owns the organization. Under lockOrganization. */
export async function isLastOwner(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<boolean> {
  const other = await transaction.get(
    "SELECT person FROM membership WHERE organization = $1 AND role = 'owner' AND person <> $2 LIMIT 1",
    organizationId,
    personId,
  );
  return other === undefined;
}

function personRecord({ id, email, role, joined }: PersonRow): Person {
  return { id, email: shownEmail(email), role, joined: new Date(joined).toISOString() };
}
