import { lockOrganization } from "../../../database/access/organization-lock.ts";
import { roleOf } from "../../../database/access/role.ts";
import { audit } from "../../../database/audit/audit.ts";
import type { Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { findPeopleByEmail, normalEmail, type StoredPerson } from "../people/person.ts";
import { beginSession, type SignedIn } from "../people/sessions.ts";
import { giveRole, makePerson } from "./member.ts";
import { roleOfGroups } from "./role-of-groups.ts";
import { standingByScim } from "./scim/standing.ts";
import { domainOf, readSignOn, type StoredSignOn } from "./setting.ts";

/** A person for whom a provider vouches, after all checks that need no database. */
export interface VouchedFor {
  organizationId: string;
  /** Revision of the settings with which the provider was asked. */
  revision: number;
  issuer: string;
  subject: string;
  /** Verified address; undefined when the provider sends none or does not say that it is theirs. */
  email: string | undefined;
  /** The address as the provider sent it, verified or not. */
  told: string | null;
  groups: string[];
  /** Why the provider's word is unusable; the sign-in is refused. */
  failure?: string | undefined;
  address: string;
  device: string | null;
}

/** The result. A refusal is a value: an error would roll back the record of it. */
export type SignOnOutcome =
  | { signedIn: SignedIn; refusal?: never }
  | { signedIn?: never; refusal: string };

/**
 * `signOn.signIn`: signs a person in by the word of the organization's own provider. People are
 * known by issuer and subject. At the first sign-in a person is tied to the member who has the
 * address, else made: a person who is no member is never found by an address, because their
 * password may be another's. The session acts in this organization alone.
 */
export async function signInByProvider(
  transaction: Transaction,
  vouched: VouchedFor,
  moment: Moment,
): Promise<SignOnOutcome> {
  const { organizationId, issuer, revision, address, device } = vouched;
  const before = await findPerson(transaction, vouched);
  await lockOrganization(transaction, organizationId);
  if (vouched.failure !== undefined) {
    return refuse(transaction, vouched, before, vouched.failure, moment);
  }
  const settings = await readSignOn(transaction, { organizationId });
  if (settings === null || settings.issuer !== issuer || settings.revision !== revision) {
    const sentence = "The sign-on was changed meanwhile. Go back and sign in again.";
    return refuse(transaction, vouched, before, sentence, moment);
  }
  const { email } = vouched;
  const problem = emailProblem(settings, email);
  if (problem !== undefined || email === undefined) {
    return refuse(transaction, vouched, before, problem ?? "", moment);
  }
  const present =
    before === undefined ? undefined : await roleOf(transaction, organizationId, before.id);
  const standing = await standingByScim(transaction, organizationId, { email, person: before?.id });
  if (standing?.isActive === false) {
    const sentence = `${settings.name} has ended your access to ${settings.organizationName}. Ask an admin there.`;
    return refuse(transaction, vouched, before, sentence, moment);
  }
  const groups = [...vouched.groups, ...(standing?.groups ?? [])];
  const wanted = roleOfGroups(settings, groups, present);
  if (wanted === undefined) {
    const sentence = `Your groups at ${settings.name} give you no role in ${settings.organizationName}. Ask an admin of the organization there.`;
    return refuse(transaction, vouched, before, sentence, moment);
  }
  if (before !== undefined && (await isTakenBySomebodyElse(transaction, vouched, before.id))) {
    const sentence = `Another person at ${settings.name} has signed in here with this address. An admin of ${settings.organizationName} has to remove one of the two.`;
    return refuse(transaction, vouched, before, sentence, moment);
  }
  const scope = { organizationId, address };
  const person = before ?? (await makePerson(transaction, scope, email, moment));
  await tie(transaction, vouched, person.id, moment);
  const details = { signOn: true };
  const given = { personId: person.id, present, wanted, details };
  await giveRole(transaction, { ...scope, actor: "service" }, given, moment);
  const signedIn = await beginSession(
    transaction,
    { person, organizationId, onlyOrganization: organizationId, address, device },
    moment,
  );
  return { signedIn };
}

/** Finds the person; their row is locked before the organization's, as everywhere. */
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
  const sent = await transaction.get<StoredPerson>(
    `SELECT id, email, password FROM person WHERE id = (SELECT scim_user.person FROM scim_user
       JOIN membership ON membership.organization = scim_user.organization AND membership.person = scim_user.person
       WHERE scim_user.organization = $1 AND scim_user.address = $2)${transaction.forUpdate}`,
    organizationId,
    normalEmail(email),
  );
  if (sent !== undefined) return sent;
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
  return `${organizationName} accepts only addresses at ${domains.join(", ")}; yours at ${name} is ${normalEmail(email)}.`;
}

/**
 * Whether the person is tied to another subject of the provider: an address that the provider gives
 * to a second one does not open the account.
 */
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

async function refuse(
  transaction: Transaction,
  { organizationId, address, subject, email, told }: VouchedFor,
  person: StoredPerson | undefined,
  refusal: string,
  moment: Moment,
): Promise<SignOnOutcome> {
  const entry = { organizationId, actor: "service", address };
  const details = {
    reason: refusal.slice(0, 300),
    account: subject.slice(0, 255),
    // In the form in which the erasure of a person finds it.
    email: told === null ? null : normalEmail(told),
    ...(told !== null && email === undefined && { emailVerified: false }),
  };
  await audit(
    transaction,
    { ...entry, action: "signOn.refused", ...(person && { subject: person.id }), details },
    moment,
  );
  return { refusal };
}
