import { roles } from "@lossless/protocol/roles";
import type { Role } from "@lossless/protocol";
import type { StoredSignOn } from "./setting.ts";

/**
 * Returns the role that a person has by the organization's present settings. Where groups have
 * roles these decide, and the default role is for people whose groups give none; where no group has
 * one the organization decides itself, and the default role is for people at their first sign-in.
 * Undefined: they are refused.
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
