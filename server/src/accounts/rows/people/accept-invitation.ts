import type { Role } from "@lossless/protocol";
import { isAtLeast, roleOf } from "../../../database/access/role.ts";
import { isSignOnForced } from "../../../database/access/sign-on-rule.ts";
import { audit } from "../../../database/audit/audit.ts";
import type { Moment } from "../../../ground/clock.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { wrongPassword } from "./password.ts";
import {
  enterableOrganizations,
  findPeopleByEmail,
  insertPerson,
  namesakeEmail,
  normalEmail,
  organizationsOf,
  replacePassword,
  shownEmail,
  type StoredPerson,
} from "./person.ts";
import { beginSession, type SignedIn } from "./sessions.ts";
import { lockOrganization } from "../../../database/access/organization-lock.ts";

interface OpenInvitation {
  id: string;
  organization: string;
  email: string | null;
  role: Role;
  person: string | null;
}

/**
 * Use of the password of the person who takes an invitation. `set`: its hash becomes the person's;
 * `compare`: it was compared with `seen`, the stored hash of a known person; `apart`: it matches no
 * person who has the address, and a separate person gets it.
 */
export type JoiningPassword =
  | { use: "set" | "apart"; hash: string }
  | { use: "compare"; seen: string };

/**
 * The use of the password that an invitation needs. `seen` holds the hashes of all people with the
 * address; `otherwise` applies when the password matches none of them.
 */
export type NeededPassword =
  | { use: "set" }
  | { use: "compare"; seen: string[]; otherwise: "refuse" | "apart" };

/** Returns how to handle the password before `invitation.accept`; throws for a useless link. */
export async function findInvitation(
  reader: Reader,
  { hash, email }: { hash: Uint8Array; email: string },
  { nowMs }: Moment,
): Promise<NeededPassword> {
  const invitation = await requireOpen(reader, hash, email, nowMs, "");
  const known = await findPeopleByEmail(reader, email);
  if (known.length === 0 || known.some(({ id }) => id === invitation.person)) return { use: "set" };
  const seen = known.map(({ password }) => password);
  const otherwise = (await isForOneApart(reader, invitation, known)) ? "apart" : "refuse";
  return { use: "compare", seen, otherwise };
}

/**
 * Takes an invitation, once: makes the person where the address is new, adds them to the
 * organization and signs them in.
 */
export async function acceptInvitation(
  transaction: Transaction,
  input: {
    hash: Uint8Array;
    email: string;
    password: JoiningPassword;
    address: string;
    device: string | null;
  },
  moment: Moment,
): Promise<SignedIn> {
  const { hash, email, password, address, device } = input;
  const invitation = await requireOpen(
    transaction,
    hash,
    email,
    moment.nowMs,
    transaction.forUpdate,
  );
  const { id, organization: organizationId, role } = invitation;
  if (invitation.person === null) await requirePasswords(transaction, organizationId, role);
  const person = await joiningPerson(transaction, invitation, email, password, moment);
  await transaction.run("UPDATE invitation SET ended_at_ms = $2 WHERE id = $1", id, moment.nowMs);
  const actor = { actor: person.id, address };
  if (invitation.person === null) {
    await join(transaction, organizationId, person.id, role, moment);
    const details = { email: shownEmail(person.email), role };
    await audit(
      transaction,
      { organizationId, action: "invitation.accepted", subject: id, details, ...actor },
      moment,
    );
  } else {
    await audit(
      transaction,
      { organizationId: null, action: "password.changed", subject: person.id, ...actor },
      moment,
    );
  }
  const enterable = { personId: person.id, onlyOrganization: null };
  const mine = await enterableOrganizations(transaction, enterable);
  const active = mine.some((one) => one.id === organizationId) ? organizationId : undefined;
  return beginSession(transaction, { person, organizationId: active, address, device }, moment);
}

/** Throws where the organization allows no passwords to this role: the member could not sign in. */
async function requirePasswords(
  transaction: Transaction,
  organizationId: string,
  role: Role,
): Promise<void> {
  if (role === "owner" || !(await isSignOnForced(transaction, organizationId))) return;
  throw new ServiceError(
    "forbidden",
    "The organization no longer accepts passwords: choose “Sign in with your organization” on the sign-in page.",
  );
}

async function requireOpen(
  reader: Reader,
  hash: Uint8Array,
  email: string,
  nowMs: number,
  lock: "" | " FOR UPDATE",
): Promise<OpenInvitation> {
  const row = await reader.get<OpenInvitation>(
    `SELECT id, organization, email, role, person FROM invitation
     WHERE hash = $1 AND ended_at_ms IS NULL AND expires_at_ms > $2 AND (person IS NOT NULL OR NOT EXISTS (
       SELECT 1 FROM organization
       WHERE organization.id = invitation.organization AND trashed_at_ms IS NOT NULL))${lock}`,
    hash,
    nowMs,
  );
  if (row === undefined) throw uselessLink();
  if (row.email !== null && row.email !== normalEmail(email)) {
    throw new ServiceError("forbidden", "This link is for another e-mail address.");
  }
  return row;
}

/** The same error for unknown, used, revoked and expired links. */
export function uselessLink(): ServiceError {
  return new ServiceError(
    "unauthorized",
    "This link is no longer valid: it works once, and for a limited time. Ask for another one.",
  );
}

async function joiningPerson(
  transaction: Transaction,
  invitation: OpenInvitation,
  email: string,
  password: JoiningPassword,
  moment: Moment,
): Promise<StoredPerson> {
  const known = await findPeopleByEmail(transaction, email, transaction.forUpdate);
  if (invitation.person !== null) {
    const person = known.find(({ id }) => id === invitation.person);
    if (person === undefined || password.use !== "set") throw wrongPassword();
    await replacePassword(transaction, { personId: person.id, password: password.hash }, moment);
    return person;
  }
  // Another transaction may have made this person since the password was looked at: it was not
  // compared.
  if (password.use === "compare") {
    const person = known.find((one) => one.password === password.seen);
    if (person === undefined) throw wrongPassword();
    return person;
  }
  if (password.use === "apart")
    return personApart(transaction, invitation, known, email, password.hash, moment);
  const made =
    known.length > 0
      ? undefined
      : await insertPerson(transaction, { email, password: password.hash }, moment);
  if (made === undefined) throw wrongPassword();
  return made;
}

/**
 * Whether the link makes a separate person although the address is taken. The link vouches for the
 * address in its own organization, as another's did in that one: the person who took the address
 * first neither keeps its owner out nor gets in with them, and no link gives its holder what the
 * others belong to. False where the operator has said whose address it is, or a person with it is a
 * member: then a link is no second statement.
 */
async function isForOneApart(
  reader: Reader,
  { organization, email, person }: OpenInvitation,
  known: readonly { id: string; email: string; isProvisioned: boolean }[],
): Promise<boolean> {
  if (email === null || person !== null) return false;
  for (const { id, email: stored, isProvisioned } of known) {
    if (isProvisioned || (await roleOf(reader, organization, id)) !== undefined) return false;
    const isApart = stored === namesakeEmail(email, organization);
    if (isApart && (await organizationsOf(reader, { personId: id })).length > 0) return false;
  }
  return true;
}

/**
 * Returns the separate person for the link; one removed from the organization earlier comes back
 * with a new password.
 */
async function personApart(
  transaction: Transaction,
  invitation: OpenInvitation,
  known: readonly (StoredPerson & { isProvisioned: boolean })[],
  email: string,
  password: string,
  moment: Moment,
): Promise<StoredPerson> {
  if (!(await isForOneApart(transaction, invitation, known))) throw wrongPassword();
  const stored = namesakeEmail(email, invitation.organization);
  const before = known.find((one) => one.email === stored);
  if (before !== undefined) {
    await replacePassword(transaction, { personId: before.id, password }, moment);
    return before;
  }
  const made = await insertPerson(transaction, { email: stored, password }, moment);
  if (made === undefined) throw wrongPassword();
  return made;
}

/**
 * Adds the person to the organization. A member who takes another invitation keeps the higher role.
 */
async function join(
  transaction: Transaction,
  organizationId: string,
  personId: string,
  role: Role,
  { nowMs }: Moment,
): Promise<void> {
  await lockOrganization(transaction, organizationId);
  const present = await roleOf(transaction, organizationId, personId);
  if (present !== undefined && isAtLeast(present, role)) return;
  await transaction.run(
    `INSERT INTO membership (organization, person, role, created_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization, person) DO UPDATE SET role = excluded.role`,
    organizationId,
    personId,
    role,
    nowMs,
  );
}
