import type { Role } from "@lossless/protocol";
import type { Reader } from "../../../../database/database.ts";
import { ServiceError } from "../../../../ground/errors.ts";
import { readScimPage, type ScimPage, type ScimQuestion, type ScimTable } from "./page.ts";

/** Fields of a user that the service does not need itself and keeps only to return them. */
export interface ScimProfile {
  displayName: string | null;
  formatted: string | null;
  givenName: string | null;
  familyName: string | null;
  /** The work address, or the primary one; null: `userName` is the address. */
  email: string | null;
}

/** Fields of a user that a provider sets. */
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

/** A user with the fields that are not sent. */
export interface StoredUser extends ScimUser {
  personId: string | null;
  address: string;
  /** The role that groups of SCIM gave last. */
  givenRole: Role | null;
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

const users: ScimTable<UserRow> = {
  table: "scim_user",
  wanted: [
    "id",
    "user_name",
    "external_id",
    "address",
    "is_active",
    "person",
    "given_role",
    "profile",
    "created_at_ms",
    "changed_at_ms",
  ],
};

// Names of users are compared without regard to case (RFC 7643 4.1.1).
const columns = {
  id: { column: "id" },
  userName: { column: "user_key", key: userKey },
  externalId: { column: "external_id" },
};

/** `scim.listUsers`: in the order of their creation. */
export async function listScimUsers(
  reader: Reader,
  question: ScimQuestion<keyof typeof columns>,
): Promise<ScimPage<ScimUser>> {
  const { total, rows } = await readScimPage<UserRow, keyof typeof columns>(
    reader,
    users,
    columns,
    question,
  );
  return { total, resources: rows.map((row) => shownUser(storedUser(row))) };
}

/** `scim.readUser` */
export async function readScimUser(
  reader: Reader,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ScimUser> {
  return shownUser(await requireUser(reader, organizationId, id));
}

/** Returns a user. Throws `not_found`, also for users of other organizations. */
export async function requireUser(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<StoredUser> {
  const row = await reader.get<UserRow>(
    `SELECT ${users.wanted.join(", ")} FROM scim_user WHERE organization = $1 AND id = $2`,
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
