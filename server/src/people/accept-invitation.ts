import type { Role } from "@lossless/protocol";
import { isAtLeast, lockPeople, roleOf } from "../access/role.ts";
import { audit } from "../audit/audit.ts";
import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { ServiceError } from "../errors.ts";
import { wrongPassword } from "./password.ts";
import { findPersonByEmail, insertPerson, normalEmail, replacePassword } from "./person.ts";
import type { StoredPerson } from "./person.ts";
import { beginSession } from "./sessions.ts";
import type { SignedIn } from "./sessions.ts";

interface OpenInvitation {
  id: string;
  organization: string;
  email: string | null;
  role: Role;
  person: string | null;
}

/**
 * What the password of the person who takes an invitation is good for: `set`: its hash becomes the person's;
 * `compare`: it was compared with `seen`, the stored hash of a person who is known already.
 */
export type JoiningPassword = { use: "set"; hash: string } | { use: "compare"; seen: string };

/** What has to be done with the password before `invitation.accept`; throws when the link is of no use. */
export async function findInvitation(
  reader: Reader,
  { hash, email }: { hash: Uint8Array; email: string },
  { nowMs }: Moment,
): Promise<{ use: "set" } | { use: "compare"; seen: string }> {
  const invitation = await requireOpen(reader, hash, email, nowMs, "");
  const person = await findPersonByEmail(reader, email);
  if (person === undefined || invitation.person === person.id) return { use: "set" };
  return { use: "compare", seen: person.password };
}

/** Takes an invitation, once: the person is made when there is none with the address, joins, and is signed in. */
export async function acceptInvitation(
  transaction: Transaction,
  input: { hash: Uint8Array; email: string; password: JoiningPassword; address: string },
  moment: Moment,
): Promise<SignedIn> {
  const { hash, email, password, address } = input;
  const invitation = await requireOpen(
    transaction,
    hash,
    email,
    moment.nowMs,
    transaction.forUpdate,
  );
  const { id, organization: organizationId, role } = invitation;
  const person = await joiningPerson(transaction, invitation, email, password, moment);
  await transaction.run("UPDATE invitation SET ended_at_ms = $2 WHERE id = $1", id, moment.nowMs);
  const actor = { actor: person.id, address };
  if (invitation.person === null) {
    await join(transaction, organizationId, person.id, role, moment);
    const details = { email: person.email, role };
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
  const isMember = (await roleOf(transaction, organizationId, person.id)) !== undefined;
  const active = isMember ? organizationId : undefined;
  return beginSession(transaction, { person, organizationId: active, address }, moment);
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
     WHERE hash = $1 AND ended_at_ms IS NULL AND expires_at_ms > $2${lock}`,
    hash,
    nowMs,
  );
  if (row === undefined) throw uselessLink();
  if (row.email !== null && row.email !== normalEmail(email)) {
    throw new ServiceError("forbidden", "This link is for another e-mail address.");
  }
  return row;
}

/** Unknown, used, revoked and expired links alike. */
export function uselessLink(): ServiceError {
  return new ServiceError(
    "unauthorized",
    "This link is not valid any more: it works once, and for a limited time. Ask for another one.",
  );
}

async function joiningPerson(
  transaction: Transaction,
  invitation: OpenInvitation,
  email: string,
  password: JoiningPassword,
  moment: Moment,
): Promise<StoredPerson> {
  const known = await findPersonByEmail(transaction, email, transaction.forUpdate);
  if (known === undefined) {
    if (password.use !== "set") throw wrongPassword();
    const made = await insertPerson(transaction, { email, password: password.hash }, moment);
    if (made === undefined) throw wrongPassword();
    return made;
  }
  if (invitation.person === known.id) {
    if (password.use !== "set") throw wrongPassword();
    await replacePassword(transaction, { personId: known.id, password: password.hash }, moment);
    return known;
  }
  // Somebody else has become this person since the password was looked at: then it was never compared.
  if (password.use !== "compare" || password.seen !== known.password) throw wrongPassword();
  return known;
}

/** A member who takes another invitation keeps the higher role. */
async function join(
  transaction: Transaction,
  organizationId: string,
  personId: string,
  role: Role,
  { nowMs }: Moment,
): Promise<void> {
  await lockPeople(transaction, organizationId);
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
