import type { Person, Role } from "@lossless/protocol";
import { requireRole } from "../access/role.ts";
import { audit } from "../audit/audit.ts";
import type { Actor } from "../audit/audit.ts";
import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { ServiceError } from "../errors.ts";
import { endLinksBeyond } from "./invitations.ts";

interface PersonRow {
  id: string;
  email: string;
  role: Role;
  joined: number;
}

const selectPeople = `SELECT person.id, person.email, membership.role, membership.created_at_ms AS joined
  FROM membership JOIN person ON person.id = membership.person WHERE membership.organization = $1`;

/** By e-mail address. */
export async function listPeople(
  reader: Reader,
  { organizationId }: { organizationId: string },
): Promise<Person[]> {
  const rows = await reader.all<PersonRow>(`${selectPeople} ORDER BY person.email`, organizationId);
  return rows.map(personRecord);
}

/** Only owners make or touch owners, and the last one stays. Links that the new role could not make end. */
export async function changeRole(
  transaction: Transaction,
  {
    organizationId,
    personId,
    role,
    actor,
    address,
  }: { organizationId: string; personId: string; role: Role } & Actor,
  moment: Moment,
): Promise<Person> {
  const person = await lockMember(transaction, organizationId, personId, actor, role);
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

/**
 * Ends a membership for every request that starts afterwards: the membership is read with each of them. The links
 * that the person made end with it; API keys are the organization's and stay.
 */
export async function removePerson(
  transaction: Transaction,
  {
    organizationId,
    personId,
    actor,
    address,
  }: { organizationId: string; personId: string } & Actor,
  moment: Moment,
): Promise<void> {
  const person = await lockMember(transaction, organizationId, personId, actor, undefined);
  if (person.role === "owner") await requireOtherOwner(transaction, organizationId, personId);
  await transaction.run(
    "UPDATE session SET organization = NULL WHERE person = $1 AND organization = $2",
    personId,
    organizationId,
  );
  await transaction.run(
    "DELETE FROM membership WHERE organization = $1 AND person = $2",
    organizationId,
    personId,
  );
  const by = { actor, address };
  await endLinksBeyond(transaction, { organizationId, personId, now: undefined }, by, moment);
  await audit(
    transaction,
    {
      organizationId,
      action: "membership.ended",
      actor,
      address,
      subject: personId,
      details: { email: person.email, role: person.role },
    },
    moment,
  );
}

/** The member, under lock, when the acting person may change them and give them `role`. */
async function lockMember(
  transaction: Transaction,
  organizationId: string,
  personId: string,
  actorId: string,
  role: Role | undefined,
): Promise<PersonRow> {
  const actorRole = await requireRole(transaction, organizationId, actorId, "admin");
  const person = await transaction.get<PersonRow>(
    `${selectPeople} AND person.id = $2`,
    organizationId,
    personId,
  );
  if (person === undefined) {
    throw new ServiceError("not_found", "There is no such person in the organization.");
  }
  if ((person.role === "owner" || role === "owner") && actorRole !== "owner") {
    throw new ServiceError("forbidden", "Only an owner can make, change or remove an owner.");
  }
  return person;
}

async function requireOtherOwner(
  transaction: Transaction,
  organizationId: string,
  personId: string,
): Promise<void> {
  const other = await transaction.get(
    "SELECT person FROM membership WHERE organization = $1 AND role = 'owner' AND person <> $2 LIMIT 1",
    organizationId,
    personId,
  );
  if (other === undefined) {
    throw new ServiceError("conflict", "This is the last owner; make another person owner first.");
  }
}

function personRecord({ id, email, role, joined }: PersonRow): Person {
  return { id, email, role, joined: new Date(joined).toISOString() };
}
