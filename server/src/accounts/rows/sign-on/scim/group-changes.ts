import type { Transaction } from "../../../../database/database.ts";
import type { Moment } from "../../../../ground/clock.ts";
import { ServiceError } from "../../../../ground/errors.ts";
import { newId } from "../../../../ground/ids.ts";
import type { StoredSignOn } from "../setting.ts";
import { groupKey, membersOf, requireGroup, type ScimGroup } from "./group.ts";
import { noteScim, requireFewerSent } from "./sent.ts";
import { settle } from "./settle.ts";
import { requireScim, type ScimScope } from "./token.ts";
import { requireUser } from "./user.ts";

/** One step of a change of the members, in the order of the request. */
export interface MembersStep {
  op: "add" | "remove" | "replace";
  ids: string[];
}

export interface ScimGroupChange {
  displayName?: string;
  externalId?: string | null;
  members: MembersStep[];
}

/** `scim.createGroup` */
export async function createScimGroup(
  transaction: Transaction,
  { scope, group }: { scope: ScimScope; group: ScimGroupChange & { displayName: string } },
  moment: Moment,
): Promise<ScimGroup> {
  const settings = await requireScim(transaction, scope);
  const { organizationId } = scope;
  await requireFewerSent(transaction, organizationId, "groups");
  const id = newId(moment.nowMs);
  const { displayName, externalId = null } = group;
  await store(transaction, { organizationId, id, displayName, externalId }, moment);
  await noteScim(transaction, scope, { action: "scim.groupCreated", subject: displayName }, moment);
  const changed = await changeMembers(transaction, scope, id, group.members);
  await settleAll(transaction, { scope, settings, ids: changed }, moment);
  const made = await requireGroup(transaction, organizationId, id);
  return { ...made, members: await membersOf(transaction, id) };
}

/** `scim.changeGroup`: omitted fields stay. */
export async function changeScimGroup(
  transaction: Transaction,
  { scope, id, change }: { scope: ScimScope; id: string; change: ScimGroupChange },
  moment: Moment,
): Promise<void> {
  const settings = await requireScim(transaction, scope);
  const { organizationId } = scope;
  const before = await requireGroup(transaction, organizationId, id);
  const { displayName = before.displayName, externalId = before.externalId } = change;
  await store(transaction, { organizationId, id, displayName, externalId }, moment);
  const isRenamed = displayName !== before.displayName || externalId !== before.externalId;
  if (displayName !== before.displayName) {
    const entry = { action: "scim.groupRenamed", subject: displayName, from: before.displayName };
    await noteScim(transaction, scope, entry, moment);
  }
  const ids = await changeMembers(transaction, scope, id, change.members);
  // A renamed group may have another role.
  if (isRenamed) for (const member of await membersOf(transaction, id)) ids.add(member.id);
  await settleAll(transaction, { scope, settings, ids }, moment);
}

/** `scim.deleteGroup` */
export async function deleteScimGroup(
  transaction: Transaction,
  { scope, id }: { scope: ScimScope; id: string },
  moment: Moment,
): Promise<void> {
  const settings = await requireScim(transaction, scope);
  const { displayName } = await requireGroup(transaction, scope.organizationId, id);
  const ids = await changeMembers(transaction, scope, id, [{ op: "replace", ids: [] }]);
  await transaction.run("DELETE FROM scim_group WHERE id = $1", id);
  await noteScim(transaction, scope, { action: "scim.groupDeleted", subject: displayName }, moment);
  await settleAll(transaction, { scope, settings, ids }, moment);
}

/** Changes the members; returns those added and those removed. */
async function changeMembers(
  transaction: Transaction,
  { organizationId }: ScimScope,
  id: string,
  steps: readonly MembersStep[],
): Promise<Set<string>> {
  const before = new Set((await membersOf(transaction, id)).map((member) => member.id));
  let after = new Set(before);
  for (const { op, ids } of steps) {
    if (op === "replace") after = new Set(ids);
    else if (op === "add") for (const one of ids) after.add(one);
    else for (const one of ids) after.delete(one);
  }
  const added = [...after].filter((one) => !before.has(one));
  const removed = [...before].filter((one) => !after.has(one));
  for (const one of added) {
    const user = await transaction.run(
      `INSERT INTO scim_member (scim_group, scim_user)
       SELECT CAST($1 AS TEXT), id FROM scim_user WHERE organization = $2 AND id = $3`,
      id,
      organizationId,
      one,
    );
    if (user === 0) {
      throw new ServiceError("bad_request", `There is no user ${one} for the group.`);
    }
  }
  for (const one of removed) {
    await transaction.run(
      "DELETE FROM scim_member WHERE scim_group = $1 AND scim_user = $2",
      id,
      one,
    );
  }
  return new Set([...added, ...removed]);
}

async function settleAll(
  transaction: Transaction,
  { scope, settings, ids }: { scope: ScimScope; settings: StoredSignOn; ids: Iterable<string> },
  moment: Moment,
): Promise<void> {
  // Where no group has a role, no change of members changes one.
  if (settings.roles.length === 0) return;
  for (const id of ids) {
    const user = await requireUser(transaction, scope.organizationId, id);
    if (user.active) await settle(transaction, { ...scope, settings }, user, moment);
  }
}

async function store(
  transaction: Transaction,
  {
    organizationId,
    id,
    displayName,
    externalId,
  }: { organizationId: string; id: string; displayName: string; externalId: string | null },
  { nowMs }: Moment,
): Promise<void> {
  const other = await transaction.get(
    "SELECT id FROM scim_group WHERE organization = $1 AND name_key = $2 AND id <> $3",
    organizationId,
    groupKey(displayName),
    id,
  );
  if (other !== undefined) {
    const sentence = "A group with this displayName exists already.";
    throw new ServiceError("conflict", sentence, { scimType: "uniqueness" });
  }
  await transaction.run(
    `INSERT INTO scim_group (id, organization, name, name_key, external_id, created_at_ms, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $6)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key,
       external_id = excluded.external_id, changed_at_ms = excluded.changed_at_ms`,
    id,
    organizationId,
    displayName,
    groupKey(displayName),
    externalId,
    nowMs,
  );
}
