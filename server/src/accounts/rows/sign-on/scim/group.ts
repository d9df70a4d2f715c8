import type { Reader } from "../../../../database/database.ts";
import { ServiceError } from "../../../../ground/errors.ts";
import { readScimPage, type ScimPage, type ScimQuestion, type ScimTable } from "./page.ts";

export interface ScimMember {
  id: string;
  userName: string;
}

export interface ScimGroup {
  id: string;
  displayName: string;
  externalId: string | null;
  createdAtMs: number;
  changedAtMs: number;
  /** Null when the members were not requested. */
  members: ScimMember[] | null;
}

interface GroupRow {
  id: string;
  name: string;
  external_id: string | null;
  created_at_ms: number;
  changed_at_ms: number;
}

const groups: ScimTable<GroupRow> = {
  table: "scim_group",
  wanted: ["id", "name", "external_id", "created_at_ms", "changed_at_ms"],
};

const columns = {
  id: { column: "id" },
  displayName: { column: "name_key", key: groupKey },
  externalId: { column: "external_id" },
};

/** `scim.listGroups`: in the order of their creation. */
export async function listScimGroups(
  reader: Reader,
  { withMembers, ...question }: ScimQuestion<keyof typeof columns> & { withMembers: boolean },
): Promise<ScimPage<ScimGroup>> {
  const { total, rows } = await readScimPage<GroupRow, keyof typeof columns>(
    reader,
    groups,
    columns,
    question,
  );
  const ids = rows.map(({ id }) => id);
  const members = withMembers ? await membersByGroup(reader, ids) : undefined;
  const resources = rows.map((row) => storedGroup(row, members && (members.get(row.id) ?? [])));
  return { total, resources };
}

/** `scim.readGroup` */
export async function readScimGroup(
  reader: Reader,
  { organizationId, id, withMembers }: { organizationId: string; id: string; withMembers: boolean },
): Promise<ScimGroup> {
  const group = await requireGroup(reader, organizationId, id);
  if (!withMembers) return group;
  return { ...group, members: await membersOf(reader, id) };
}

/**
 * Returns a group without its members. Throws `not_found`, also for groups of other organizations.
 */
export async function requireGroup(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<ScimGroup> {
  const row = await reader.get<GroupRow>(
    `SELECT ${groups.wanted.join(", ")} FROM scim_group WHERE organization = $1 AND id = $2`,
    organizationId,
    id,
  );
  if (row === undefined) throw new ServiceError("not_found", `There is no group ${id}.`);
  return storedGroup(row);
}

export async function membersOf(reader: Reader, groupId: string): Promise<ScimMember[]> {
  return (await membersByGroup(reader, [groupId])).get(groupId) ?? [];
}

/** Returns the members by group; groups without members are left out. */
async function membersByGroup(
  reader: Reader,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, ScimMember[]>> {
  const rows = await reader.all<{ groupId: string } & ScimMember>(
    `SELECT scim_member.scim_group AS "groupId", scim_user.id, scim_user.user_name AS "userName"
     FROM scim_member JOIN scim_user ON scim_user.id = scim_member.scim_user
     WHERE ${reader.isOneOf("scim_member.scim_group", "$1")} ORDER BY scim_user.id`,
    JSON.stringify(groupIds),
  );
  const members = new Map<string, ScimMember[]>();
  for (const { groupId, ...member } of rows) {
    const others = members.get(groupId);
    if (others === undefined) members.set(groupId, [member]);
    else others.push(member);
  }
  return members;
}

export function groupKey(name: string): string {
  return name.toLowerCase();
}

function storedGroup(row: GroupRow, members?: ScimMember[]): ScimGroup {
  return {
    id: row.id,
    displayName: row.name,
    externalId: row.external_id,
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
    members: members ?? null,
  };
}
