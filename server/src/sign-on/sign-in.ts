import type { Role } from "@lossless/protocol";
import { lockOrganization } from "../access/organization-lock.ts";
import { roleOf } from "../access/role.ts";
import { audit } from "../audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import type { Moment } from "../ground/clock.ts";
import { assignRole, isLastOwner } from "../people/memberships.ts";
import { noPassword } from "../people/no-password.ts";
import {
  findPeopleByEmail,
  insertPerson,
  namesakeEmail,
  replacePassword,
  shownEmail,
  type StoredPerson,
} from "../people/person.ts";
import { beginSession, type SignedIn } from "../people/sessions.ts";
import { roleOfGroups } from "./role-of-groups.ts";
import { domainOf, readSignOn, type StoredSignOn } from "./setting.ts";

/** Whom a provider vouches for, after every check of its word that needs no database. */
export interface VouchedFor {
  organizationId: string;
  /** The settings by which the provider was asked had this one. */
  revision: number;
  issuer: string;
  subject: string;
  /** Undefined: the provider says none, or does not say that it is theirs. */
  email: string | undefined;
  groups: string[];
  address: string;
  device: string | null;
}

/** A refusal is a value, and no error, which would undo what is written down of it. */
export type SignOnOutcome =
  | { signedIn: SignedIn; refusal?: never }
  | { signedIn?: never; refusal: string };

/**
 * `signOn.signIn`: signs a person in by the word of the organization's own provider. They are known
 * by issuer and subject. Who is seen first is tied to the member who has the address, else made; so
 * somebody who is no member is never found by an address, whose password another may have set. The
 * session acts in this organization alone.
 */
export async function signInByProvider(
  transaction: Transaction,
  vouched: VouchedFor,
  moment: Moment,
): Promise<SignOnOutcome> {
  const { organizationId, issuer, revision, address, device } = vouched;
  const before = await findPerson(transaction, vouched);
  await lockOrganization(transaction, organizationId);
  const settings = await readSignOn(transaction, { organizationId });
  if (settings === null || settings.issuer !== issuer || settings.revision !== revision) {
    return { refusal: "The sign-on was changed meanwhile. Go back and sign in again." };
  }
  const { email } = vouched;
  const problem = emailProblem(settings, email);
  if (problem !== undefined || email === undefined) {
    return refuse(transaction, vouched, before, problem ?? "", moment);
  }
  const present =
    before === undefined ? undefined : await roleOf(transaction, organizationId, before.id);
  const wanted = roleOfGroups(settings, vouched.groups, present);
  if (wanted === undefined) {
    const sentence = `Your groups at ${settings.name} give you no role in ${settings.organizationName}. Ask an admin of the organization there.`;
    return refuse(transaction, vouched, before, sentence, moment);
  }
  if (before !== undefined && (await isTakenBySomebodyElse(transaction, vouched, before.id))) {
    const sentence = `Somebody else at ${settings.name} has signed in here with this address. An admin of ${settings.organizationName} has to remove one of the two.`;
    return refuse(transaction, vouched, before, sentence, moment);
  }
  const person = before ?? (await makePerson(transaction, vouched, email, moment));
  await tie(transaction, vouched, person.id, moment);
  await setRole(transaction, vouched, { person, present, wanted }, moment);
  const signedIn = await beginSession(
    transaction,
    { person, organizationId, onlyOrganization: organizationId, address, device },
    moment,
  );
  return { signedIn };
}

/** The person's row is locked before the organization's, as everywhere. */
async function findPerson(
  transaction: Transaction,
  { organizationId, issuer, subject, email }: VouchedFor,
): Promise<StoredPerson | undefined> {
  const tied = await transaction.get<StoredPerson>(
    `SELECT id, email, password FROM person WHERE id = (SELECT person FROM sign_on_identity
       WHERE organization = $1 AND issuer = $2 AND subject = $3)${transaction.forUpdate}`,
    organizationId,
    issuer,
    subject,
  );
  if (tied !== undefined) return tied;
  if (email === undefined) return undefined;
  for (const person of await findPeopleByEmail(transaction, email, transaction.forUpdate)) {
    if ((await roleOf(transaction, organizationId, person.id)) !== undefined) return person;
  }
  return undefined;
}

function emailProblem(
  { name, domains, organizationName }: StoredSignOn,
  email: string | undefined,
): string | undefined {
  if (email === undefined) {
    return `${name} does not say that your e-mail address is verified. Verify it there, or ask an admin: the page “Sign-on” of ${organizationName} says what the provider has to send.`;
  }
  if (domains.includes(domainOf(email))) return undefined;
  return `${organizationName} takes addresses at ${domains.join(", ")} only; yours at ${name} is ${email}.`;
}

/** An address that a provider has given to another person does not give them the account. */
async function isTakenBySomebodyElse(
  transaction: Transaction,
  { organizationId, issuer, subject }: VouchedFor,
  personId: string,
): Promise<boolean> {
  const other = await transaction.get(
    `SELECT subject FROM sign_on_identity
     WHERE organization = $1 AND issuer = $2 AND person = $3 AND subject <> $4 LIMIT 1`,
    organizationId,
    issuer,
    personId,
    subject,
  );
  return other !== undefined;
}

/** Apart from whoever has the address without being a member: another organization's word. */
async function makePerson(
  transaction: Transaction,
  { organizationId, address }: Pick<VouchedFor, "organizationId" | "address">,
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

async function tie(
  transaction: Transaction,
  { organizationId, issuer, subject }: VouchedFor,
  personId: string,
  { nowMs }: Moment,
): Promise<void> {
  await transaction.run(
    `INSERT INTO sign_on_identity (organization, issuer, subject, person, created_at_ms)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (organization, issuer, subject) DO NOTHING`,
    organizationId,
    issuer,
    subject,
    personId,
    nowMs,
  );
}

/** The last owner stays one, whatever the groups say. */
async function setRole(
  transaction: Transaction,
  { organizationId, address }: VouchedFor,
  { person, present, wanted }: { person: StoredPerson; present: Role | undefined; wanted: Role },
  moment: Moment,
): Promise<void> {
  const { id: personId } = person;
  if (present === undefined) {
    await transaction.run(
      "INSERT INTO membership (organization, person, role, created_at_ms) VALUES ($1, $2, $3, $4)",
      organizationId,
      personId,
      wanted,
      moment.nowMs,
    );
    const entry = { organizationId, actor: personId, address, subject: personId };
    const details = { to: wanted, signOn: true };
    await audit(transaction, { ...entry, action: "membership.created", details }, moment);
    return;
  }
  if (present === wanted) return;
  if (present === "owner" && (await isLastOwner(transaction, organizationId, personId))) return;
  const by = { actor: "service", address };
  await assignRole(transaction, { organizationId, personId, role: wanted, ...by }, moment);
}

async function refuse(
  transaction: Transaction,
  { organizationId, address, subject }: VouchedFor,
  person: StoredPerson | undefined,
  refusal: string,
  moment: Moment,
): Promise<SignOnOutcome> {
  const entry = { organizationId, actor: "service", address };
  const details = { reason: refusal.slice(0, 300), account: subject.slice(0, 255) };
  await audit(
    transaction,
    { ...entry, action: "signOn.refused", ...(person && { subject: person.id }), details },
    moment,
  );
  return { refusal };
}
