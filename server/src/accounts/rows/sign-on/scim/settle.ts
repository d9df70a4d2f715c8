import type { Role } from "@lossless/protocol";
import { roleOf } from "../../../../database/access/role.ts";
import type { Transaction } from "../../../../database/database.ts";
import type { Moment } from "../../../../ground/clock.ts";
import { ServiceError } from "../../../../ground/errors.ts";
import { endMembership } from "../../people/memberships.ts";
import { findPeopleByEmail } from "../../people/person.ts";
import { giveRole, isLastWayIn, makePerson } from "../member.ts";
import { roleOfGroups } from "../role-of-groups.ts";
import type { StoredSignOn } from "../setting.ts";
import { groupsOf } from "./standing.ts";
import type { ScimScope } from "./token.ts";
import type { StoredUser } from "./user.ts";

/** Name of the provider in the audit log. */
export const scimActor = "scim";

/** The scope of a token and the settings by which it counts, as requireScim returns them. */
export interface Settled extends Pick<ScimScope, "organizationId" | "address"> {
  settings: StoredSignOn;
}

/**
 * Makes the membership what the provider has sent of a user: none when they are not active, else
 * with the role of their groups. A member to whom no group of SCIM has given a role keeps the
 * present one, since the claims of a sign-in may have given it; a member whose groups gave a role
 * and give none any more falls back to the default, or is removed. Under lockOrganization.
 */
export async function settle(
  transaction: Transaction,
  { settings, organizationId, address }: Settled,
  user: StoredUser,
  moment: Moment,
): Promise<void> {
  const scope = { organizationId, actor: scimActor, address };
  const personId = await personOf(transaction, settings, user);
  const present =
    personId === undefined ? undefined : await roleOf(transaction, organizationId, personId);
  if (!user.active) {
    if (personId !== undefined && present !== undefined)
      await end(transaction, { ...scope, personId }, moment);
    await remember(transaction, user.id, { personId, givenRole: null });
    return;
  }
  const given = await givenRole(transaction, settings, user.id);
  const kept = user.givenRole === null ? present : undefined;
  const wanted = given ?? kept ?? roleOfGroups(settings, [], present);
  if (wanted === undefined) {
    // Not an error: the other members of the group are not affected.
    if (personId !== undefined && present !== undefined)
      if (!(await isLastWayIn(transaction, organizationId, personId)))
        await endMembership(transaction, { ...scope, personId }, moment);
    await remember(transaction, user.id, { personId, givenRole: null });
    return;
  }
  const { id } =
    personId === undefined
      ? await makePerson(transaction, { organizationId, address }, user.address, moment)
      : { id: personId };
  await remember(transaction, user.id, { personId: id, givenRole: given ?? null });
  const details = { scim: true };
  await giveRole(transaction, scope, { personId: id, present, wanted, details }, moment);
}

/**
 * Returns the person of a user: the former one, else the member who has the address, else the
 * person who has signed in by the provider with it and left; never another person who is no member.
 */
async function personOf(
  transaction: Transaction,
  { organizationId, issuer }: StoredSignOn,
  { id, personId, address }: StoredUser,
): Promise<string | undefined> {
  if (personId !== null) return personId;
  const people = await findPeopleByEmail(transaction, address);
  for (const person of people) {
    if ((await roleOf(transaction, organizationId, person.id)) === undefined) continue;
    const other = await transaction.get(
      "SELECT id FROM scim_user WHERE organization = $1 AND person = $2 AND id <> $3 LIMIT 1",
      organizationId,
      person.id,
      id,
    );
    if (other === undefined) return person.id;
    throw new ServiceError("conflict", `Another user is the member with the address ${address}.`, {
      scimType: "uniqueness",
    });
  }
  for (const person of people) {
    const tied = await transaction.get(
      "SELECT subject FROM sign_on_identity WHERE organization = $1 AND issuer = $2 AND person = $3 LIMIT 1",
      organizationId,
      issuer,
      person.id,
    );
    if (tied !== undefined) return person.id;
  }
  return undefined;
}

/** Returns the role given by the groups of SCIM alone, without the default. */
async function givenRole(
  transaction: Transaction,
  { roles }: StoredSignOn,
  userId: string,
): Promise<Role | undefined> {
  if (roles.length === 0) return undefined;
  const groups = await groupsOf(transaction, userId);
  return roleOfGroups({ roles, defaultRole: null }, groups, undefined);
}

/** Ends the membership as a removal by an admin does: sign-ins and tokens end with it. */
async function end(
  transaction: Transaction,
  membership: { organizationId: string; personId: string; actor: string; address: string },
  moment: Moment,
): Promise<void> {
  const { organizationId, personId } = membership;
  if (await isLastWayIn(transaction, organizationId, personId)) {
    throw new ServiceError(
      "conflict",
      "This is the last owner, or the last with a password: make another person an owner in Lossless first.",
    );
  }
  await endMembership(transaction, membership, moment);
}

async function remember(
  transaction: Transaction,
  userId: string,
  { personId, givenRole: given }: { personId: string | undefined; givenRole: Role | null },
): Promise<void> {
  await transaction.run(
    "UPDATE scim_user SET person = $2, given_role = $3 WHERE id = $1",
    userId,
    personId ?? null,
    given,
  );
}
