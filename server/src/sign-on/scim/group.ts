import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ScimPage, ScimQuestion } from "./user.ts";

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
  /** Null: they were not asked for. */
  members: ScimMember[] | null;
}

interface GroupRow {
  id: string;
  name: string;
  external_id: string | null;
  created_at_ms: number;
  changed_at_ms: number;
}

const columns = { id: "id", displayName: "name_key", externalId: "external_id" } as const;

/** `scim.listGroups`: in the order in which they came. */
export async function listScimGroups(
  reader: Reader,
  {
    organizationId,
    filter,
    offset,
    limit,
    withMembers,
  }: ScimQuestion<keyof typeof columns> & { withMembers: boolean },
): Promise<ScimPage<ScimGroup>> {
  const column = columns[filter?.by ?? "id"];
  const value = filter?.by === "displayName" ? groupKey(filter.value) : (filter?.value ?? null);
  const where = `scim_group.organization = $1 AND (${column} = $2 OR CAST($2 AS TEXT) IS NULL)`;
  const counted = await reader.get<{ total: number }>(
    `SELECT count(*) AS total FROM scim_group WHERE ${where}`,
    organizationId,
    value,
  );
  const rows = await reader.all<GroupRow>(
    `SELECT * FROM scim_group WHERE ${where} ORDER BY id LIMIT $3 OFFSET $4`,
    organizationId,
    value,
    limit,
    offset,
  );
  const resources: ScimGroup[] = [];
  for (const row of rows)
    resources.push(storedGroup(row, withMembers ? await membersOf(reader, row.id) : null));
  return { total: counted?.total ?? 0, resources };
}

/** `scim.readGroup` */
export async function readScimGroup(
  reader: Reader,
  { organizationId, id, withMembers }: { organizationId: string; id: string; withMembers: boolean },
): Promise<ScimGroup> {
  const group = await requireGroup(reader, organizationId, id);
  return withMembers ? { ...group, members: await membersOf(reader, id) } : group;
}

/** Without its members. Throws `not_found`, for those of other organizations too. */
export async function requireGroup(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<ScimGroup> {
  const row = await reader.get<GroupRow>(
    "SELECT * FROM scim_group WHERE organization = $1 AND id = $2",
    organizationId,
    id,
  );
  if (row === undefined) throw new ServiceError("not_found", `There is no group ${id}.`);
  return storedGroup(row, null);
}

export function membersOf(reader: Reader, groupId: string): Promise<ScimMember[]> {
  return reader.all<ScimMember>(
    `SELECT scim_user.id, scim_user.user_name AS "userName" FROM scim_member
     JOIN scim_user ON scim_user.id = scim_member.scim_user
     WHERE scim_member.scim_group = $1 ORDER BY scim_user.id`,
    groupId,
  );
}

export function groupKey(name: string): string {
  return name.toLowerCase();
}

function storedGroup(row: GroupRow, members: ScimMember[] | null): ScimGroup {
  return {
    id: row.id,
    displayName: row.name,
    externalId: row.external_id,
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
    members,
  };
}
