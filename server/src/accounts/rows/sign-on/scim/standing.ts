import type { Reader } from "../../../../database/database.ts";
import { normalEmail } from "../../people/person.ts";

/** The user that a provider has sent for a person who signs in by it. */
export interface Standing {
  isActive: boolean;
  /** Names and provider's ids of the groups that were sent with the user. */
  groups: string[];
}

/**
 * Returns the user; undefined when the provider has sent none who is this person or has this
 * address.
 */
export async function standingByScim(
  reader: Reader,
  organizationId: string,
  { email, person }: { email: string; person: string | undefined },
): Promise<Standing | undefined> {
  const user = await reader.get<{ id: string; is_active: number }>(
    `SELECT id, is_active FROM scim_user WHERE organization = $1
       AND (person = $2 OR (person IS NULL AND address = $3))
     ORDER BY CASE WHEN person IS NULL THEN 1 ELSE 0 END LIMIT 1`,
    organizationId,
    person ?? "",
    normalEmail(email),
  );
  if (user === undefined) return undefined;
  return { isActive: user.is_active === 1, groups: await groupsOf(reader, user.id) };
}

/** Returns the groups by names and by the provider's ids: Entra's claims have the latter. */
export async function groupsOf(reader: Reader, userId: string): Promise<string[]> {
  const rows = await reader.all<{ name: string; external: string | null }>(
    `SELECT scim_group.name, scim_group.external_id AS external FROM scim_member
     JOIN scim_group ON scim_group.id = scim_member.scim_group WHERE scim_member.scim_user = $1`,
    userId,
  );
  return rows.flatMap(({ name, external }) => (external === null ? [name] : [name, external]));
}
