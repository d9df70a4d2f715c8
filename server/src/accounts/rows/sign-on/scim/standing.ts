import type { Reader } from "../../../../database/database.ts";
import { normalEmail } from "../../people/person.ts";

/** What a provider has sent of somebody who signs in by it. */
export interface Standing {
  isActive: boolean;
  /** Names and the provider's own ids of the groups that it has sent with them. */
  groups: string[];
}

/** Undefined: the provider has sent nobody who is this person, or has this address. */
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

/** By the names and by the provider's own ids: Entra's claims have these. */
export async function groupsOf(reader: Reader, userId: string): Promise<string[]> {
  const rows = await reader.all<{ name: string; external: string | null }>(
    `SELECT scim_group.name, scim_group.external_id AS external FROM scim_member
     JOIN scim_group ON scim_group.id = scim_member.scim_group WHERE scim_member.scim_user = $1`,
    userId,
  );
  return rows.flatMap(({ name, external }) => (external === null ? [name] : [name, external]));
}
