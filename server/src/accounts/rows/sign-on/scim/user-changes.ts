import { limits } from "@lossless/protocol/limits";
import type { Transaction } from "../../../../database/database.ts";
import type { Moment } from "../../../../ground/clock.ts";
import { ServiceError } from "../../../../ground/errors.ts";
import { newId } from "../../../../ground/ids.ts";
import { normalEmail } from "../../people/person.ts";
import { domainOf, type StoredSignOn } from "../setting.ts";
import { noteScim, requireFewerSent } from "./sent.ts";
import { settle } from "./settle.ts";
import { requireScim, type ScimScope } from "./token.ts";
import { requireUser, type ScimUser, type ScimUserFields, shownUser, userKey } from "./user.ts";

/** `scim.createUser` */
export async function createScimUser(
  transaction: Transaction,
  { scope, user }: { scope: ScimScope; user: ScimUserFields },
  moment: Moment,
): Promise<ScimUser> {
  const settings = await requireScim(transaction, scope);
  const { organizationId } = scope;
  const id = newId(moment.nowMs);
  await requireFewerSent(transaction, organizationId, "users");
  await store(transaction, { organizationId, id, user, settings }, moment);
  await noteScim(
    transaction,
    scope,
    { action: "scim.userCreated", subject: user.userName },
    moment,
  );
  return settled(transaction, scope, { id, settings }, moment);
}

/** `scim.changeUser`: omitted fields stay. */
export async function changeScimUser(
  transaction: Transaction,
  { scope, id, change }: { scope: ScimScope; id: string; change: Partial<ScimUserFields> },
  moment: Moment,
): Promise<ScimUser> {
  const settings = await requireScim(transaction, scope);
  const { organizationId } = scope;
  const before = await requireUser(transaction, organizationId, id);
  const user = { ...before, ...change };
  await store(transaction, { organizationId, id, user, settings }, moment);
  if (user.active !== before.active) {
    const action = user.active ? "scim.userActivated" : "scim.userDeactivated";
    await noteScim(transaction, scope, { action, subject: user.userName }, moment);
  }
  return settled(transaction, scope, { id, settings }, moment);
}

/** `scim.deleteUser` */
export async function deleteScimUser(
  transaction: Transaction,
  { scope, id }: { scope: ScimScope; id: string },
  moment: Moment,
): Promise<void> {
  const settings = await requireScim(transaction, scope);
  const user = await requireUser(transaction, scope.organizationId, id);
  await settle(transaction, { ...scope, settings }, { ...user, active: false }, moment);
  await transaction.run("DELETE FROM scim_member WHERE scim_user = $1", id);
  await transaction.run("DELETE FROM scim_user WHERE id = $1", id);
  await noteScim(
    transaction,
    scope,
    { action: "scim.userDeleted", subject: user.userName },
    moment,
  );
}

async function settled(
  transaction: Transaction,
  scope: ScimScope,
  { id, settings }: { id: string; settings: StoredSignOn },
  moment: Moment,
): Promise<ScimUser> {
  const user = await requireUser(transaction, scope.organizationId, id);
  await settle(transaction, { ...scope, settings }, user, moment);
  return shownUser(user);
}

interface Stored {
  organizationId: string;
  id: string;
  user: ScimUserFields;
  settings: StoredSignOn;
}

async function store(
  transaction: Transaction,
  { organizationId, id, user, settings }: Stored,
  { nowMs }: Moment,
): Promise<void> {
  const { userName, externalId, active, displayName, formatted, givenName, familyName, email } =
    user;
  const address = normalEmail(email ?? userName);
  requireAddress(address, settings);
  const other = await transaction.get(
    `SELECT id FROM scim_user WHERE organization = $1 AND (user_key = $2 OR address = $3) AND id <> $4 LIMIT 1`,
    organizationId,
    userKey(userName),
    address,
    id,
  );
  if (other !== undefined) {
    const sentence = "A user with this userName or address exists already.";
    throw new ServiceError("conflict", sentence, { scimType: "uniqueness" });
  }
  await transaction.run(
    `INSERT INTO scim_user (id, organization, user_name, user_key, external_id, address, is_active, profile,
       created_at_ms, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
     ON CONFLICT (id) DO UPDATE SET user_name = excluded.user_name, user_key = excluded.user_key,
       external_id = excluded.external_id, address = excluded.address, is_active = excluded.is_active,
       profile = excluded.profile, changed_at_ms = excluded.changed_at_ms`,
    id,
    organizationId,
    userName,
    userKey(userName),
    externalId,
    address,
    active ? 1 : 0,
    JSON.stringify({ displayName, formatted, givenName, familyName, email }),
    nowMs,
  );
}

/** Requires an address as a sign-in by the provider does. */
function requireAddress(address: string, { domains }: StoredSignOn): void {
  if (!/^[^@\s]+@[^@\s]+$/.test(address) || address.length > limits.emailCharactersMax) {
    throw new ServiceError(
      "bad_request",
      "A user needs an e-mail address: the primary one of emails, or the userName.",
    );
  }
  if (domains.includes(domainOf(address))) return;
  throw new ServiceError(
    "bad_request",
    `${address} does not belong to ${domains.join(", ")}, the domains of the sign-on: an owner sets them in Lossless.`,
  );
}
