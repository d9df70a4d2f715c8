import type { Role } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";

/** What is kept of a user beside what the service needs itself, to be told back. */
export interface ScimProfile {
  displayName: string | null;
  formatted: string | null;
  givenName: string | null;
  familyName: string | null;
  /** The address of work, or the primary one; null: `userName` is the address. */
  email: string | null;
}

/** What a provider sets of a user. */
export interface ScimUserFields extends ScimProfile {
  userName: string;
  externalId: string | null;
  active: boolean;
}

export interface ScimUser extends ScimUserFields {
  id: string;
  createdAtMs: number;
  changedAtMs: number;
}

/** A user with what nobody is told. */
export interface StoredUser extends ScimUser {
  personId: string | null;
  address: string;
  /** What groups of SCIM gave last. */
  givenRole: Role | null;
}

/** A comparison by `eq`, and a page. */
export interface ScimQuestion<By extends string> {
  organizationId: string;
  filter: { by: By; value: string } | null;
  /** From 0 on. */
  offset: number;
  limit: number;
}

export interface ScimPage<Resource> {
  total: number;
  resources: Resource[];
}

interface UserRow {
  id: string;
  user_name: string;
  external_id: string | null;
  address: string;
  is_active: number;
  person: string | null;
  given_role: Role | null;
  profile: string;
  created_at_ms: number;
  changed_at_ms: number;
}

const columns = { id: "id", userName: "user_key", externalId: "external_id" } as const;

/** `scim.listUsers`: in the order in which they came. */
export async function listScimUsers(
  reader: Reader,
  { organizationId, filter, offset, limit }: ScimQuestion<keyof typeof columns>,
): Promise<ScimPage<ScimUser>> {
  const column = columns[filter?.by ?? "id"];
  // Names of users are compared without regard to case (RFC 7643 4.1.1).
  const value = filter?.by === "userName" ? userKey(filter.value) : (filter?.value ?? null);
  const where = `scim_user.organization = $1 AND (${column} = $2 OR CAST($2 AS TEXT) IS NULL)`;
  const counted = await reader.get<{ total: number }>(
    `SELECT count(*) AS total FROM scim_user WHERE ${where}`,
    organizationId,
    value,
  );
  const rows = await reader.all<UserRow>(
    `SELECT * FROM scim_user WHERE ${where} ORDER BY id LIMIT $3 OFFSET $4`,
    organizationId,
    value,
    limit,
    offset,
  );
  return { total: counted?.total ?? 0, resources: rows.map((row) => shownUser(storedUser(row))) };
}

/** `scim.readUser` */
export async function readScimUser(
  reader: Reader,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ScimUser> {
  return shownUser(await requireUser(reader, organizationId, id));
}

/** Throws `not_found`, for those of other organizations too. */
export async function requireUser(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<StoredUser> {
  const row = await reader.get<UserRow>(
    "SELECT * FROM scim_user WHERE organization = $1 AND id = $2",
    organizationId,
    id,
  );
  if (row === undefined) throw new ServiceError("not_found", `There is no user ${id}.`);
  return storedUser(row);
}

export function userKey(userName: string): string {
  return userName.toLowerCase();
}

export function shownUser({
  personId: _person,
  address: _address,
  givenRole: _role,
  ...shown
}: StoredUser): ScimUser {
  return shown;
}

function storedUser(row: UserRow): StoredUser {
  return {
    id: row.id,
    userName: row.user_name,
    externalId: row.external_id,
    active: row.is_active === 1,
    ...(JSON.parse(row.profile) as ScimProfile),
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
    personId: row.person,
    address: row.address,
    givenRole: row.given_role,
  };
}
