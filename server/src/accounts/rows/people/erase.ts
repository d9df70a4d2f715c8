import { type Actor, audit } from "../../../database/audit/audit.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";
import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import { forgetAddress, type ScimName } from "./forget-address.ts";
import { endMembership, isLastOwner } from "./memberships.ts";
import { noPassword } from "./no-password.ts";
import { type MemberOrganization, organizationsOf, shownEmail } from "./person.ts";

/** Returns the text that replaces the address of an erased person. */
export function pseudonymOf(personId: string): string {
  return `erased-${personId}`;
}

interface ErasedRow {
  email: string;
  password: string;
}

/**
 * `person.erase`, by the person: ends every membership, removes sign-ins, tokens and all that
 * identifies the person; the id stays. `seenPassword`: the hash with which the password was
 * compared, null where the person has none. `onlyOrganization`: the organization whose provider
 * vouched for them.
 */
export async function eraseOneself(
  transaction: Transaction,
  {
    personId,
    seenPassword,
    onlyOrganization,
    address,
  }: {
    personId: string;
    seenPassword: string | null;
    onlyOrganization: string | null;
    address: string;
  },
  context: Counting,
): Promise<void> {
  const person = await lockPerson(transaction, personId);
  if (person === undefined || (seenPassword !== null && person.password !== seenPassword)) {
    throw new ServiceError("unauthorized", "The session has ended; sign in again.");
  }
  const organizations = await organizationsOf(transaction, { personId });
  const others = organizations.filter(({ id }) => id !== onlyOrganization);
  if (onlyOrganization !== null && others.length > 0) throw notVouched(others);
  await erase(transaction, personId, person, { actor: personId, address }, context);
}

/** Erases a person for the operator, in the same way. */
export async function erasePerson(
  transaction: Transaction,
  personId: string,
  by: Actor,
  context: Counting,
): Promise<void> {
  const person = await lockPerson(transaction, personId);
  if (person === undefined) throw new ServiceError("not_found", "There is no such person.");
  await erase(transaction, personId, person, by, context);
}

function lockPerson(transaction: Transaction, personId: string): Promise<ErasedRow | undefined> {
  return transaction.get<ErasedRow>(
    `SELECT email, password FROM person WHERE id = $1 AND erased_at_ms IS NULL${transaction.forUpdate}`,
    personId,
  );
}

async function erase(
  transaction: Transaction,
  personId: string,
  { email: stored }: ErasedRow,
  by: Actor,
  context: Counting,
): Promise<void> {
  const organizations = await organizationsOf(transaction, { personId });
  const ids = organizations.map(({ id }) => id).sort();
  for (const id of ids) await lockOrganization(transaction, id);
  await requireOtherOwners(transaction, organizations, personId);
  const accounts = await transaction.all<{ subject: string }>(
    "SELECT subject FROM sign_on_identity WHERE person = $1",
    personId,
  );
  const userNames = await transaction.all<ScimName>(
    "SELECT organization, user_name AS name FROM scim_user WHERE person = $1",
    personId,
  );
  const pseudonym = pseudonymOf(personId);
  await transaction.run(
    `UPDATE person SET email = $2, password = $3, provisioned_password = NULL, erased_at_ms = $4
     WHERE id = $1`,
    personId,
    pseudonym,
    noPassword(),
    context.nowMs,
  );
  for (const id of ids) {
    await endMembership(transaction, { organizationId: id, personId, ...by }, context);
  }
  for (const sql of removals) await transaction.run(sql, personId);
  const entry = { ...by, organizationId: null, action: "person.erased", subject: personId };
  await audit(transaction, entry, context);
  const forgotten = {
    personId,
    email: shownEmail(stored),
    accounts: accounts.map(({ subject }) => subject),
    userNames,
    pseudonym,
  };
  await forgetAddress(transaction, forgotten, context);
}

/**
 * Removals of all that lets the person sign in, and of their browsers and addresses; references
 * first.
 */
const removals = [
  "DELETE FROM session WHERE person = $1",
  "DELETE FROM personal_token WHERE person = $1",
  "DELETE FROM sign_on_identity WHERE person = $1",
  "DELETE FROM scim_member WHERE scim_user IN (SELECT id FROM scim_user WHERE person = $1)",
  "DELETE FROM scim_user WHERE person = $1",
  "DELETE FROM invitation WHERE person = $1",
  ...["oauth_token", "oauth_code", "oauth_device"].map(
    (table) =>
      `DELETE FROM ${table} WHERE oauth_grant IN (SELECT id FROM oauth_grant WHERE person = $1)`,
  ),
  "DELETE FROM oauth_device WHERE person = $1",
  "DELETE FROM oauth_grant WHERE person = $1",
  "DELETE FROM oauth_wrong_entry WHERE person = $1",
];

async function requireOtherOwners(
  transaction: Transaction,
  organizations: readonly MemberOrganization[],
  personId: string,
): Promise<void> {
  const owned: string[] = [];
  for (const { id, name, role } of organizations) {
    if (role === "owner" && (await isLastOwner(transaction, id, personId))) owned.push(name);
  }
  if (owned.length === 0) return;
  const names = owned.map((name) => JSON.stringify(name)).join(", ");
  throw new ServiceError(
    "conflict",
    `This is the last owner of ${names}: make another person owner there first.`,
  );
}

function notVouched(others: readonly MemberOrganization[]): ServiceError {
  const names = others.map(({ name }) => JSON.stringify(name)).join(", ");
  return new ServiceError(
    "forbidden",
    `You signed in by one organization's identity provider and belong to ${names} too: sign in with your password, or leave ${names} first.`,
  );
}
