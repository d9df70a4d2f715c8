import { roles } from "@lossless/protocol/roles";
import type { Role } from "@lossless/protocol";
import type { StoredSignOn } from "./setting.ts";

/**
 * The role that a person has by what the organization set, now. Where groups have roles these
 * decide, and the default role is for whom they give none; where no group has one the organization
 * decides itself, and the default role is for whom is seen first. Undefined: they are refused.
 */
export function roleOfGroups(
  { roles: mapping, defaultRole }: Pick<StoredSignOn, "roles" | "defaultRole">,
  groups: readonly string[],
  present: Role | undefined,
): Role | undefined {
  if (mapping.length === 0) return present ?? defaultRole ?? undefined;
  const names = new Set(groups);
  const given = new Set(mapping.filter(({ group }) => names.has(group)).map(({ role }) => role));
  return roles.find((role) => given.has(role)) ?? defaultRole ?? undefined;
}
